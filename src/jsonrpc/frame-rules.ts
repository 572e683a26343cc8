/** The rules of frames: which limits they are checked against, and whether duplicate keys are an error. */
import { completeLimits, type MessageLimits } from './limits.ts';

/** What an owner may set; `frameRules` fills in the rest. */
export interface FrameOptions {
  /** Limits of one message: characters, nesting, length of a batch, number of values. */
  readonly limits?: Partial<MessageLimits>;
  /** In strict mode duplicate keys are an error; otherwise the last one wins. */
  readonly strict?: boolean;
}

/** The same with defaults: what frames are checked against. */
export interface FrameRules {
  readonly limits?: MessageLimits;
  readonly strict?: boolean;
}

/** Shared by most connections, which set no limits. */
const defaultRules: FrameRules = { limits: completeLimits(undefined), strict: false };

export const frameRules = ({ limits, strict = false }: FrameOptions): FrameRules =>
  limits === undefined && !strict ? defaultRules : { limits: completeLimits(limits), strict };
