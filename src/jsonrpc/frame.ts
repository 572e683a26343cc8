/** Frames, each the text of one message or batch: read within all limits, written only when valid. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import { excerpt, excerptsOf } from '../lib/text/excerpt.ts';
import { findDuplicateKey } from './duplicate-keys.ts';
import { type ErrorObject, standardCodes } from './errors.ts';
import type { FrameRules } from './frame-rules.ts';
import { openBrace, openBracket } from './json-text.ts';
import { defaultLimits, findUnsafe, isUnsafe, type MessageLimits, type UnsafePart } from './limits.ts';
import { type Classified, classify, isRequestId, type Message, type RequestId } from './message.ts';
import { takeAuthorization } from './message-authorization.ts';
import { type ExceededLimit, exceededLimit, longText, outlineOf } from './text-limits.ts';

/** An invalid frame, or an invalid message of a batch. */
export interface InvalidFrame {
  readonly kind: 'invalid';
  readonly error: TenonError;
  /** The error to send back. It quotes nothing of the frame. Absent if the frame may be an answer itself. */
  readonly reply: { readonly id: RequestId | undefined; readonly error: ErrorObject } | undefined;
  /** Ids of messages in it that are, or may be, answers: their requests get no other answer. */
  readonly answered: readonly RequestId[];
}

export type Arrival = Exclude<Classified, { kind: 'invalid' }> | InvalidFrame;
export type Frame = Arrival | { readonly kind: 'batch'; readonly arrivals: readonly Arrival[] };

/** Reads the text of one frame. Never throws: an invalid frame is a value. */
export function readFrame(text: string, { limits = defaultLimits, strict = false }: FrameRules = {}): Frame {
  if (text.length > limits.maxMessageChars)
    return invalidFrame('message-too-large', tooLarge(text, limits), { hint: sendLess });
  if (isNoise(text)) return notJson(text);
  const exceeded = text.length > longText ? exceededLimit(text, limits) : undefined;
  if (exceeded !== undefined) return overLimit(exceeded, text, limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notJson(text);
  }
  const duplicate = strict ? findDuplicateKey(text) : undefined;
  if (duplicate !== undefined) {
    const message = (quoted: string): string => `Duplicate key ${excerpt(duplicate.path)}, in ${quoted}.`;
    return invalidFrame('duplicate-key', 'An object has a duplicate key', { value, text, message });
  }
  return Array.isArray(value) ? readBatch(value, limits, text) : readMessage(value, limits, text);
}

/** The text is not parsed: its value could need too much memory. */
function overLimit(exceeded: ExceededLimit, text: string, limits: MessageLimits): InvalidFrame {
  const frame = { value: outlineOf(text), text };
  if (exceeded === 'nesting-too-deep') return invalidFrame(exceeded, replyTexts[exceeded](limits), frame);
  const hint = 'Send less at once, or raise limits.maxMessageChars.';
  return invalidFrame(exceeded, `A message has more than ${limits.maxValues} values.`, { ...frame, hint });
}

/** Without the error of `JSON.parse`, which quotes the text. */
const notJson = (text: string): InvalidFrame =>
  invalidFrame('invalid-json', 'Not JSON', { text, reason: 'parse-error', message: (quoted) => `Not JSON: ${quoted}` });

/** Whether the first character shows that a text is not JSON. Programs print a lot, and JSON.parse is slow to fail. */
function isNoise(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first === openBrace || first === openBracket || first <= 0x20) return false;
  return !/^(?:["\d-]|(?:true|false|null)\s*$)/.test(text);
}

function readBatch(values: readonly unknown[], limits: MessageLimits, text: string): Frame {
  if (values.length === 0)
    return invalidFrame('invalid-message', 'Empty batch', { text, message: (quoted) => `Empty batch: ${quoted}.` });
  if (values.length > limits.maxBatch) {
    const problem = `A batch of ${values.length} messages is over the limit of ${limits.maxBatch}`;
    return invalidFrame('batch-too-long', problem, {
      value: values,
      text,
      message: (quoted) => `${problem}: ${quoted}.`,
      hint: 'Send fewer at once.',
    });
  }
  return { kind: 'batch', arrivals: values.map((value) => readMessage(value, limits, text)) };
}

/** Whether a text is too short to be nested too deep and has no unsafe key: then its value need not be checked. */
const isSafeText = (text: string, { maxDepth }: MessageLimits): boolean =>
  text.length < 2 * maxDepth && !text.includes('__proto__');

/** The same for a text of the other side, which may have escaped a key with `\u`. */
const isSafeArrival = (text: string, limits: MessageLimits): boolean =>
  isSafeText(text, limits) && !text.includes('\\u');

/**
 * Classifies one parsed message and checks all its fields, also unknown ones, against the limits. `text` is the frame it
 * came in, alone or in a batch.
 */
export function readMessage(value: unknown, limits: MessageLimits = defaultLimits, text?: string): Arrival {
  const classified = classify(value);
  if (classified.kind === 'invalid') {
    const problem = `Invalid message: ${classified.problem}`;
    return invalidFrame('invalid-message', `${problem}.`, {
      value,
      text,
      isForeign: isForeign(value),
      ...(text !== undefined && { message: (quoted: string) => `${problem}, in ${quoted}.` }),
    });
  }
  const depth = limits.maxDepth + 1;
  if ((text === undefined || !isSafeArrival(text, limits)) && isUnsafe(value, depth)) {
    const unsafe = findUnsafe(value, depth, '');
    if (unsafe !== undefined)
      return invalidFrame(unsafe.code, replyTexts[unsafe.code](limits), {
        value,
        text,
        message: () => unsafeText(unsafe, limits),
      });
  }
  const authorization = takeAuthorization(classified.message);
  if (authorization === undefined || classified.kind === 'result' || classified.kind === 'error') return classified;
  return { ...classified, authorization };
}

const replyTexts: Readonly<Record<UnsafePart['code'], (limits: MessageLimits) => string>> = {
  'unsafe-key': () => 'A key named __proto__ is refused. Rename it.',
  'nesting-too-deep': ({ maxDepth }) => `A message is nested deeper than ${maxDepth} levels. Flatten it.`,
};

/** Whether a value has no field `jsonrpc`, as the output of a logger. */
const isForeign = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Array.isArray(value) || !('jsonrpc' in value);

function unsafeText({ code, place }: UnsafePart, { maxDepth }: MessageLimits): string {
  return code === 'unsafe-key'
    ? `${excerpt(place)}: a key of this name is refused. Rename it.`
    : `${excerpt(place)} is nested deeper than ${maxDepth} levels. Flatten it.`;
}

const tooLarge = (text: string, { maxMessageChars }: MessageLimits): string =>
  `A message of ${text.length} characters is over the limit of ${maxMessageChars}.`;

const sendLess = 'Send less at once, or raise limits.maxMessageChars on both sides.';

interface InvalidFrameDetails {
  readonly value?: unknown;
  readonly text?: string | undefined;
  readonly isForeign?: boolean;
  readonly reason?: 'parse-error' | 'invalid-request';
  readonly hint?: string;
  /** The message of the local error, which may quote the text. Default: the problem alone. */
  message?(quoted: string): string;
}

/** `problem` is sent to the other side. It quotes nothing: the frame may hold tokens, and the answer may be logged. */
function invalidFrame(code: TenonError['code'], problem: string, frame: InvalidFrameDetails): InvalidFrame {
  const { value, text, isForeign = false, reason = 'invalid-request', hint } = frame;
  const { short, line } = excerptsOf(text ?? '');
  const options = {
    ...(hint !== undefined && { hint }),
    ...(text !== undefined && { details: { line, ...(isForeign && { isForeign }) } }),
  };
  const error = withoutStack(() => new TenonError(code, frame.message?.(short) ?? problem, options));
  const reply = replyTo(value, { code: standardCodes[reason], message: problem });
  return { kind: 'invalid', error, reply, answered: answersIn(value) };
}

/**
 * Turns stack traces off for one error: the fault is on the other side, and no line of this code explains it. With a
 * stack trace an invalid line takes 8 µs instead of 1, and a client whose server prints without end misses its timeouts
 * (test/node/stdio/stray-output.test.ts).
 */
function withoutStack(create: () => TenonError): TenonError {
  const engine = Error as { stackTraceLimit?: number };
  const { stackTraceLimit } = engine;
  if (stackTraceLimit === undefined) return create();
  engine.stackTraceLimit = 0;
  try {
    return create();
  } finally {
    engine.stackTraceLimit = stackTraceLimit;
  }
}

/** A message without a method may be an answer that lost its result; a message with a result or error is no request. */
function answersIn(value: unknown): RequestId[] {
  if (Array.isArray(value)) return value.flatMap((each) => (Array.isArray(each) ? [] : answersIn(each)));
  if (typeof value !== 'object' || value === null) return [];
  const { id, method, result, error } = value as Record<string, unknown>;
  return isRequestId(id) && (method === undefined || result !== undefined || error !== undefined) ? [id] : [];
}

/** Only messages that are no answers get a reply: otherwise two sides could answer each other forever. */
function replyTo(value: unknown, error: ErrorObject): InvalidFrame['reply'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { id: undefined, error };
  const { id, method, result, error: answered } = value as Record<string, unknown>;
  if (method === undefined && (result !== undefined || answered !== undefined)) return undefined;
  if (id === undefined && typeof method === 'string') return undefined;
  return { id: isRequestId(id) ? id : undefined, error };
}

/**
 * The text of a message. Throws `invalid-outgoing-message` for an invalid message or one over the limits, so that it is
 * never sent: the other side would refuse it, and a request would never get an answer. `resultText` is the JSON of the
 * result, if the caller has it already and has checked its keys and depth.
 */
export function writeFrame(message: Message, limits: MessageLimits = defaultLimits, resultText?: string): string {
  const classified = classify(message);
  if (classified.kind === 'invalid') throw invalidOutgoing(`${classified.problem}.`);
  if (classified.kind === 'result' && isLeftOut(classified.message.result))
    throw invalidOutgoing('its result is not a JSON value.');
  const text = resultText === undefined ? stringify(message) : withResult(message, resultText);
  if (text.length > limits.maxMessageChars) throw tooLargeToSend(text, limits);
  if (resultText !== undefined && limits.maxDepth >= deepestKnown) return text;
  const depth = limits.maxDepth + 1;
  if (isSafeText(text, limits) || !isUnsafe(message, depth)) return text;
  // `toJSON` may return another value, so the text is checked.
  const unsafe = findUnsafe(JSON.parse(text), depth, '');
  if (unsafe !== undefined) throw invalidOutgoing(unsafeText(unsafe, limits));
  return text;
}

/** The text of a batch of messages that are written already. Throws if it is over the limits. */
export function writeBatch(frames: readonly string[], limits: MessageLimits = defaultLimits): string {
  if (frames.length > limits.maxBatch) {
    const problem = `A batch of ${frames.length} messages is over the limit of ${limits.maxBatch}.`;
    const hint = 'Send fewer at once.';
    throw new TenonError('batch-too-long', problem, { hint });
  }
  const text = `[${frames.join(',')}]`;
  if (text.length > limits.maxMessageChars) throw tooLargeToSend(text, limits);
  return text;
}

/** No result that is passed as text is nested as deep as this. */
const deepestKnown = 16;

function stringify(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw invalidOutgoing(`it cannot be written as JSON: ${firstLine(cause)}.`, cause);
  }
}

/** For a circular value the engine adds lines that draw the cycle. */
const firstLine = (cause: unknown): string =>
  String(cause instanceof Error ? cause.message : cause).split('\n', 1)[0] as string;

const withResult = ({ id }: Message & { readonly id?: unknown }, text: string): string =>
  `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":${text}}`;

/** JSON leaves out fields that hold functions and symbols. */
const isLeftOut = (value: unknown): boolean => typeof value === 'function' || typeof value === 'symbol';

const notSent = (problem: string): string => `A message was not sent: ${problem}`;

const invalidOutgoing = (problem: string, cause?: unknown): TenonError =>
  new TenonError('invalid-outgoing-message', notSent(problem), cause === undefined ? {} : { cause });

const tooLargeToSend = (text: string, limits: MessageLimits): TenonError =>
  new TenonError('invalid-outgoing-message', notSent(tooLarge(text, limits)), {
    hint: sendLess,
    details: { characters: text.length, maxMessageChars: limits.maxMessageChars },
  });

/** Whether a message was not sent because of its size. */
export const wasTooLarge = (error: unknown): error is TenonError =>
  error instanceof TenonError &&
  error.code === 'invalid-outgoing-message' &&
  error.details.maxMessageChars !== undefined;
