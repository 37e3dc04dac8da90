// TIME: `2026-11-20T22:49:01.123Z`, a real date of the years 2000 to 2999 (SPEC 4.1). Times compare as text.

import { Malformed, quote } from "./errors.js";

const PATTERN = /^(2[0-9]{3})-([0-9]{2})-([0-9]{2})T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * @param {string} text
 * @returns {string} the same text
 * @throws {Malformed}
 */
export function parseTime(text) {
  const parts = PATTERN.exec(text);
  if (parts === null || !isDate(Number(parts[1]), Number(parts[2]), Number(parts[3]))) {
    throw new Malformed("time", "a time like 2026-11-20T22:49:01.123Z", quote(text));
  }
  return text;
}

function isDate(year, month, day) {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= DAYS[month - 1] + (month === 2 && isLeap ? 1 : 0);
}

/** Seconds from 1970 to the year 3000. */
const LAST_SECOND = 32_503_680_000n;

/**
 * @param {bigint} seconds since 1970
 * @returns {string} like `2026-11-20T22:49:13Z`; as a number if it is after the year 2999
 */
export function secondsText(seconds) {
  if (seconds >= LAST_SECOND) return `${seconds} s after 1970`;
  return new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");
}
