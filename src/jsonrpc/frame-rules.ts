/** The rules of frames: which limits they are checked against, and whether duplicate keys are an error. */
import { completeLimits, type MessageLimits } from './limits.ts';

/** The options of an owner; `frameRules` adds the defaults. */
export interface FrameOptions {
  /** Limits of one message: characters, nesting, length of a batch, number of values. */
  readonly limits?: Partial<MessageLimits>;
  /** In strict mode duplicate keys are an error; otherwise the last one wins. */
  readonly strict?: boolean;
}

/** The options with their defaults. Frames are checked against them. */
export interface FrameRules {
  readonly limits?: MessageLimits;
  readonly strict?: boolean;
}

/** Shared by most connections, which set no limits. */
const defaultRules: FrameRules = { limits: completeLimits(undefined), strict: false };

export const frameRules = ({ limits, strict = false }: FrameOptions): FrameRules =>
  limits === undefined && !strict ? defaultRules : { limits: completeLimits(limits), strict };
