/** The options of `createCapture`, `compareResults` and `replayServer`. */
import { isTexts, type Rule } from '../lib/options/option-rules.ts';

/**
 * Options for removing secrets from a capture.
 * @area capture
 * @noTable
 */
export interface RedactionOptions {
  /**
   * Whether the answers of users to forms are stored.
   * @default false
   */
  readonly keepAnswers?: boolean;
}

/**
 * The options of `createCapture`.
 * @area capture
 */
export interface CaptureOptions extends RedactionOptions {
  /** Receives each line, with its line break. */
  readonly write: (line: string) => void;
  /**
   * Returns the SHA-256 of all lines so far, in hexadecimal, for the last line.
   * @default off
   */
  readonly digest?: () => string;
  /**
   * The program that makes it, with its version.
   * @default 'tenon'
   */
  readonly by?: string;
}

/**
 * Events of a capture that is written: one with more could not be read.
 * @limit CaptureOptions.maxEvents
 * @beyond the capture ends with a warning
 */
export const maxEvents = 1_000_000;

/**
 * Characters of a capture that is written: a text of twice as many could not be read.
 * @limit CaptureOptions.maxChars
 * @beyond the capture ends with a warning
 */
export const maxChars = 256_000_000;

/**
 * The differences that are ignored.
 * @area capture
 */
export interface CompareOptions {
  /**
   * Places that are not compared, such as `structuredContent.at` or `content[*].text`; `*` is any field or index.
   * @default []
   * @rule ignoredPlaces
   */
  readonly ignore?: readonly string[];
  /**
   * Whether times may differ: dates, times of day, and numbers of seconds or milliseconds since 1970.
   * @default false
   */
  readonly ignoreTimes?: boolean;
  /**
   * Whether ids may differ: UUIDs, ULIDs and long hexadecimal texts.
   * @default false
   */
  readonly ignoreIds?: boolean;
}

/**
 * The options of `replayServer`.
 * @area capture
 */
export interface ReplayOptions {
  /**
   * `match` finds the recorded request by method, name and arguments, in any order and any number of times; `exact` wants
   * the recorded requests in their order, each once.
   * @default 'match'
   */
  readonly mode?: 'match' | 'exact';
  /**
   * Faults to inject.
   * @default []
   * @rule faultList
   */
  readonly faults?: readonly ReplayFault[];
  /**
   * Called with each request that the capture does not have.
   * @default off
   */
  readonly onUnknown?: (method: string) => void;
}

/**
 * One fault.
 * @area capture
 */
export interface ReplayFault {
  /**
   * The method of the requests that it is about; `*` for all.
   * @rule faultMethod
   */
  readonly on: string;
  /**
   * Which of them, counted from 1.
   * @default computed each
   * @rule count
   */
  readonly nth?: number;
  /**
   * What happens: `delay` waits `ms` first; `cut` closes the connection instead of an answer; `tear` sends half of the
   * response and closes; `double` sends the response twice; `drop` sends no response; `error` answers with an error.
   */
  readonly do: 'delay' | 'cut' | 'tear' | 'double' | 'drop' | 'error';
  /**
   * For `delay`: how long.
   * @default 1000
   * @rule duration
   */
  readonly ms?: number;
}

export const ignoredPlaces: Rule = {
  holds: (value) => isTexts(value) && !(value as readonly string[]).includes(''),
  must: "be a list of places, such as ['structuredContent.at']",
};

/** Its entries are read one by one, since their errors say more. */
export const faultList: Rule = {
  holds: Array.isArray,
  must: "be a list such as [{ on: 'tools/call', nth: 1, do: 'cut' }]",
};

export const faultMethod: Rule = {
  holds: (value) => typeof value === 'string' && value !== '',
  must: "be a method such as 'tools/call', or '*'",
};
