/** Frames: the text of one message or one batch, read with every limit held, written only when valid. */
import { findDoubledKey } from './doubled-keys.ts';
import { type ErrorObject, standardCodes, TenonError } from './errors.ts';
import { defaultLimits, findHarm, isHarmful, type MessageLimits } from './limits.ts';
import { type Classified, classify, isRequestId, type Message, type RequestId } from './message.ts';

export interface FrameOptions {
  readonly limits?: MessageLimits;
  /** In strict mode doubled keys are a fault; otherwise the last one wins. */
  readonly strict?: boolean;
}

/** What is wrong with a frame, or with one message of a batch. */
export interface FrameFault {
  readonly kind: 'fault';
  readonly error: TenonError;
  /** What the sender is owed: nothing where the frame could itself be an answer. */
  readonly reply: { readonly id: RequestId | undefined; readonly error: ErrorObject } | undefined;
}

export type Arrival = Exclude<Classified, { kind: 'invalid' }> | FrameFault;
export type Frame = Arrival | { readonly kind: 'batch'; readonly arrivals: readonly Arrival[] };

/** Reads the text of one frame. Never throws: what is wrong is a value. */
export function readFrame(text: string, { limits = defaultLimits, strict = false }: FrameOptions = {}): Frame {
  if (text.length > limits.maxLength) {
    return fault('frame-too-large', `A message of ${text.length} characters is over the limit of ${limits.maxLength}.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return fault('not-json', `Not JSON: ${excerpt(text)}`, undefined, 'parse-error', cause);
  }
  const doubled = strict ? findDoubledKey(text) : undefined;
  if (doubled !== undefined) return fault('doubled-key', `The key ${doubled.path} stands twice.`, value);
  return Array.isArray(value) ? readBatch(value, limits) : readMessage(value, limits);
}

function readBatch(values: readonly unknown[], limits: MessageLimits): Frame {
  if (values.length === 0) return fault('invalid-message', 'A batch holds at least one message.');
  if (values.length > limits.maxBatch) {
    return fault('batch-too-long', `A batch of ${values.length} messages is over the limit of ${limits.maxBatch}.`);
  }
  return { kind: 'batch', arrivals: values.map((value) => readMessage(value, limits)) };
}

/** One parsed message, classified and held against the limits in all its fields, also those that nothing here knows. */
export function readMessage(value: unknown, limits: MessageLimits = defaultLimits): Arrival {
  const classified = classify(value);
  if (classified.kind === 'invalid') return fault('invalid-message', `Invalid message: ${classified.problem}.`, value);
  const depth = limits.maxDepth + 1;
  if (!isHarmful(value, depth)) return classified;
  const harm = findHarm(value, depth, '');
  const place = excerpt(harm?.place ?? '');
  return harm?.code === 'unsafe-key'
    ? fault('unsafe-key', `${place}: a key of this name is refused. Rename it.`, value)
    : fault('too-deep', `${place} is nested deeper than ${limits.maxDepth} levels. Flatten it.`, value);
}

function fault(
  code: TenonError['code'],
  message: string,
  value?: unknown,
  reason: 'parse-error' | 'invalid-request' = 'invalid-request',
  cause?: unknown,
): FrameFault {
  const error = new TenonError(code, message, cause === undefined ? {} : { cause });
  return { kind: 'fault', error, reply: replyTo(value, { code: standardCodes[reason], message }) };
}

/** An answer to an answer could go back and forth for ever, so only what is no answer is replied to. */
function replyTo(value: unknown, error: ErrorObject): FrameFault['reply'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { id: undefined, error };
  const { id, method, result, error: answered } = value as Record<string, unknown>;
  if (method === undefined && (result !== undefined || answered !== undefined)) return undefined;
  if (id === undefined && typeof method === 'string') return undefined;
  return { id: isRequestId(id) ? id : undefined, error };
}

const excerpt = (text: string): string =>
  text.length <= 80 ? text : `${text.slice(0, 80)}… (${text.length} characters)`;

/** The text of a message. Throws `invalid-outgoing` for what is no valid message, so that it never leaves. */
export function writeFrame(message: Message): string {
  const classified = classify(message);
  if (classified.kind === 'invalid') throw outgoing(`${classified.problem}.`);
  if (classified.kind === 'result' && vanishes(classified.message.result))
    throw outgoing('its result is no JSON value.');
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw outgoing('it cannot be written as JSON.', cause);
  }
}

/** JSON has no functions and symbols: a field that holds one is left out. */
const vanishes = (value: unknown): boolean => typeof value === 'function' || typeof value === 'symbol';

const outgoing = (problem: string, cause?: unknown): TenonError =>
  new TenonError('invalid-outgoing', `A message was not sent: ${problem}`, cause === undefined ? {} : { cause });
