/** Frames: the text of one message or one batch, read with every limit held, written only when valid. */
import { findDoubledKey } from './doubled-keys.ts';
import { type ErrorObject, standardCodes, TenonError } from './errors.ts';
import { defaultLimits, findHarm, type Harm, isHarmful, type MessageLimits } from './limits.ts';
import { type Classified, classify, isRequestId, type Message, type RequestId } from './message.ts';

/** How an owner wants frames to be read and written; `completeLimits` fills in what it leaves out. */
export interface FrameOptions {
  readonly limits?: Partial<MessageLimits>;
  /** In strict mode doubled keys are a fault; otherwise the last one wins. */
  readonly strict?: boolean;
}

/** The same, filled in: what a frame is held against. */
export interface FrameRules {
  readonly limits?: MessageLimits;
  readonly strict?: boolean;
}

/** What is wrong with a frame, or with one message of a batch. */
export interface FrameFault {
  readonly kind: 'fault';
  readonly error: TenonError;
  /** What the sender is owed: nothing where the frame could itself be an answer. */
  readonly reply: { readonly id: RequestId | undefined; readonly error: ErrorObject } | undefined;
  /** Ids of what is, or could be, an answer in it. Whoever waits for one of them waits in vain. */
  readonly answered: readonly RequestId[];
}

export type Arrival = Exclude<Classified, { kind: 'invalid' }> | FrameFault;
export type Frame = Arrival | { readonly kind: 'batch'; readonly arrivals: readonly Arrival[] };

/** Reads the text of one frame. Never throws: what is wrong is a value. */
export function readFrame(text: string, { limits = defaultLimits, strict = false }: FrameRules = {}): Frame {
  if (text.length > limits.maxCharacters) return fault('frame-too-large', tooLarge(text, limits), { hint: sendLess });
  if (isNoise(text)) return notJson(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return notJson(text, cause);
  }
  const doubled = strict ? findDoubledKey(text) : undefined;
  if (doubled !== undefined) {
    const message = `The key ${excerpt(doubled.path)} stands twice, in ${excerpt(text)}.`;
    return fault('doubled-key', message, { value, text });
  }
  return Array.isArray(value) ? readBatch(value, limits, text) : readMessage(value, limits, text);
}

const notJson = (text: string, cause?: unknown): FrameFault =>
  fault('not-json', `Not JSON: ${excerpt(text)}`, { text, reason: 'parse-error', cause });

/** Whether a text cannot be JSON by how it begins. Programs print a lot, and a parser that fails is slow to say so. */
function isNoise(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first === openBrace || first === openBracket || first <= 0x20) return false;
  return !/^(?:["\d-]|(?:true|false|null)\s*$)/.test(text);
}
const openBrace = 0x7b;
const openBracket = 0x5b;

function readBatch(values: readonly unknown[], limits: MessageLimits, text: string): Frame {
  if (values.length === 0)
    return fault('invalid-message', `A batch holds at least one message, unlike ${excerpt(text)}.`, { text });
  if (values.length > limits.maxBatch) {
    const message = `A batch of ${values.length} messages is over the limit of ${limits.maxBatch}: ${excerpt(text)}.`;
    return fault('batch-too-long', message, {
      value: values,
      text,
      hint: 'Send fewer at once, or raise limits.maxBatch.',
    });
  }
  return { kind: 'batch', arrivals: values.map((value) => readMessage(value, limits, text)) };
}

/** Whether a text is too short to be deep, and has no key that could be unsafe: then its value needs no walk. */
const isTame = (text: string, { maxDepth }: MessageLimits): boolean =>
  text.length < 2 * maxDepth && !text.includes('__proto__');

/** The same of a text that somebody else wrote, who may have written a key by its numbers. */
const cameTame = (text: string, limits: MessageLimits): boolean => isTame(text, limits) && !text.includes('\\u');

/**
 * One parsed message, classified and held against the limits in all its fields, also those that nothing here knows.
 * `text` is the frame that it came in, alone or in a batch.
 */
export function readMessage(value: unknown, limits: MessageLimits = defaultLimits, text?: string): Arrival {
  const classified = classify(value);
  if (classified.kind === 'invalid') {
    const where = text === undefined ? '' : `, in ${excerpt(text)}`;
    return fault('invalid-message', `Invalid message: ${classified.problem}${where}.`, {
      value,
      text,
      isForeign: isForeign(value),
    });
  }
  const depth = limits.maxDepth + 1;
  if ((text !== undefined && cameTame(text, limits)) || !isHarmful(value, depth)) return classified;
  const harm = findHarm(value, depth, '');
  return harm === undefined ? classified : fault(harm.code, harmText(harm, limits), { value, text });
}

/** Whether a value does not even claim to be a message, as what loggers print. */
const isForeign = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Array.isArray(value) || !('jsonrpc' in value);

function harmText({ code, place }: Harm, { maxDepth }: MessageLimits): string {
  return code === 'unsafe-key'
    ? `${excerpt(place)}: a key of this name is refused. Rename it.`
    : `${excerpt(place)} is nested deeper than ${maxDepth} levels. Flatten it.`;
}

const tooLarge = (text: string, { maxCharacters }: MessageLimits): string =>
  `A message of ${text.length} characters is over the limit of ${maxCharacters}.`;

const sendLess = 'Send less at once, or raise limits.maxCharacters on both sides.';

/** What is known of a frame that is at fault. */
interface FaultyFrame {
  readonly value?: unknown;
  readonly text?: string | undefined;
  readonly isForeign?: boolean;
  readonly reason?: 'parse-error' | 'invalid-request';
  readonly hint?: string;
  readonly cause?: unknown;
}

function fault(code: TenonError['code'], message: string, frame: FaultyFrame): FrameFault {
  const { value, text, isForeign = false, reason = 'invalid-request', hint, cause } = frame;
  const options = {
    ...(hint !== undefined && { hint }),
    ...(text !== undefined && { details: { line: shownLine(text), ...(isForeign && { isForeign }) } }),
    ...(cause !== undefined && { cause }),
  };
  const error = new TenonError(code, message, options);
  const reply = replyTo(value, { code: standardCodes[reason], message });
  return { kind: 'fault', error, reply, answered: answersIn(value) };
}

/** A message without a method can be an answer that lost its result; one with a result is no request, whatever else. */
function answersIn(value: unknown): RequestId[] {
  if (Array.isArray(value)) return value.flatMap((each) => (Array.isArray(each) ? [] : answersIn(each)));
  if (typeof value !== 'object' || value === null) return [];
  const { id, method, result, error } = value as Record<string, unknown>;
  return isRequestId(id) && (method === undefined || result !== undefined || error !== undefined) ? [id] : [];
}

/** An answer to an answer could go back and forth for ever, so only what is no answer is replied to. */
function replyTo(value: unknown, error: ErrorObject): FrameFault['reply'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { id: undefined, error };
  const { id, method, result, error: answered } = value as Record<string, unknown>;
  if (method === undefined && (result !== undefined || answered !== undefined)) return undefined;
  if (id === undefined && typeof method === 'string') return undefined;
  return { id: isRequestId(id) ? id : undefined, error };
}

/** The beginning of a text, for messages of errors. */
export const excerpt = (text: string, most = 80): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;

/** More of it, for their details. */
export const shownLine = (text: string): string => excerpt(text, 200);

/**
 * The text of a message. Throws `invalid-outgoing` for what is no valid message or is over the limits, so that it
 * never leaves: the other side would refuse it, and a request of ours would wait in vain. Where the JSON of a result is
 * known, it is not written again; whoever knows it vouches for its keys, and that it is not deep.
 */
export function writeFrame(message: Message, limits: MessageLimits = defaultLimits, resultText?: string): string {
  const classified = classify(message);
  if (classified.kind === 'invalid') throw outgoing(`${classified.problem}.`);
  if (classified.kind === 'result' && vanishes(classified.message.result))
    throw outgoing('its result is no JSON value.');
  const text = resultText === undefined ? written(message) : withResult(message, resultText);
  if (text.length > limits.maxCharacters) throw tooLargeToSend(text, limits);
  if (resultText !== undefined && limits.maxDepth >= deepestKnown) return text;
  const depth = limits.maxDepth + 1;
  if (isTame(text, limits) || !isHarmful(message, depth)) return text;
  // What a value holds need not be what it writes (`toJSON`), so the text has the last word.
  const harm = findHarm(JSON.parse(text), depth, '');
  if (harm !== undefined) throw outgoing(harmText(harm, limits));
  return text;
}

/** No message whose result is known beforehand is as deep as this. */
const deepestKnown = 16;

function written(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw outgoing(`it cannot be written as JSON: ${firstLine(cause)}.`, cause);
  }
}

/** Of a circle the engine draws a picture in the lines below. */
const firstLine = (cause: unknown): string =>
  String(cause instanceof Error ? cause.message : cause).split('\n', 1)[0] as string;

const withResult = ({ id }: Message & { readonly id?: unknown }, text: string): string =>
  `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":${text}}`;

/** JSON has no functions and symbols: a field that holds one is left out. */
const vanishes = (value: unknown): boolean => typeof value === 'function' || typeof value === 'symbol';

const notSent = (problem: string): string => `A message was not sent: ${problem}`;

const outgoing = (problem: string, cause?: unknown): TenonError =>
  new TenonError('invalid-outgoing', notSent(problem), cause === undefined ? {} : { cause });

const tooLargeToSend = (text: string, limits: MessageLimits): TenonError =>
  new TenonError('invalid-outgoing', notSent(tooLarge(text, limits)), {
    hint: sendLess,
    details: { characters: text.length, maxCharacters: limits.maxCharacters },
  });

/** Whether it was its size alone that kept a message from leaving. */
export const wasTooLarge = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'invalid-outgoing' && error.details.maxCharacters !== undefined;
