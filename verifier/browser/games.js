/** The games of version 1, by name (SPEC 3.5). */
export const GAMES = Object.freeze(["crash", "hi-lo", "keno-express", "penalty", "rocketon", "sic-bo"]);
