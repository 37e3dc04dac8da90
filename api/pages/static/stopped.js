/** Why nothing goes on at a table: what its page, the home page and badges say of it. */

/** For how long a lock may wait for its publication before that is said; a part of a second is usual. */
export const SHOWN_AFTER = 3000;

/** What the feed says of a table, at a moment of the service's clock, in milliseconds; undefined if rounds go on. */
export function stoppedAt({ stopped, now }, moment) {
  const isRecent = now.some(({ published, locked_at: since }) => published === false && moment - Date.parse(since) < SHOWN_AFTER);
  return stopped === "publication" && isRecent ? undefined : stopped;
}

/** The same as a sentence. Beside what the feed may say there is `storage`: the service cannot read it. */
export function whyStopped(stopped, _) {
  switch (stopped) {
    case "closed":
      return _("This table takes no more rounds.");
    case "halted":
      return _("Halted. No round is played until the operator has found out why. What stands in the log is not affected.");
    case "paused":
      return _("The operator has paused play. Nothing is lost.");
    case "witnesses":
      return _("Waiting: the outside witnesses have not confirmed yet. Your bet stands; nothing is lost.");
    case "publication":
      return _("Waiting: the last record is not published yet. Your bet stands; nothing is lost.");
    case "beacon":
      return _("Waiting: the random number from outside has not come yet, and without it no round is opened. Nothing is lost.");
    case "operator":
      return _("Waiting: no round is opened until the operator has looked at the service. Nothing is lost.");
    case "storage":
      return _("Waiting: the service cannot read what it has stored. Your bet stands; nothing is lost.");
    default:
      return _("Nothing goes on at this table now.");
  }
}
