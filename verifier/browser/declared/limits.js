// How large anything of a declaration may be (SPEC 3.6).

/** Bytes of a declaration, its arrays and objects within one another, its steps, the names of its parameters. */
export const LARGEST_DECLARATION = 16_384;
export const DEEPEST_DECLARATION = 8;
export const MOST_STEPS = 64;
export const MOST_PARAMETERS = 1024;
/** Things of a drum or a shoe, draws of a round, bytes of an outcome. */
export const LARGEST_PILE = 4096;
export const MOST_DRAWS = 1024;
export const LARGEST_OUTCOME = 8192;
