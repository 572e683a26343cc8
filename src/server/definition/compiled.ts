/** A compiled definition, as the kernel uses it; the rest is private to its feature. */
import type { Fields } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { TemplateMatcher } from '../../protocol/uri-template/match.ts';
import type { CompiledTask } from '../ports/call-limits.ts';
import type { NotificationSender } from '../ports/caller.ts';

export interface CallableTool<Invocation = never> extends Compiled<Invocation> {
  /** Absent if it never runs as a task. */
  readonly task: CompiledTask | undefined;
}

export interface Compiled<Invocation = never> {
  /** The definition it was compiled from. */
  readonly source: object;
  /** The record that lists return. */
  readonly record: Fields;
  /**
   * What a call that waits for input is bound to, in place of the record: one that is elsewhere may describe itself
   * differently meanwhile.
   */
  readonly fingerprint?: string | undefined;
  /** The time limit of a call, if the definition sets one. */
  readonly timeoutMs: number | undefined;
  /** The scopes that a call needs; never empty. */
  readonly scopes: readonly string[] | undefined;
  serve(invocation: Invocation): MaybePromise<Settled>;
}

/** A prompt or a template, whose arguments can be completed. */
export interface Completable<Invocation = never> {
  /** Whether any argument has a completer. */
  readonly completes: boolean;
  readonly timeoutMs: number | undefined;
  complete(invocation: Invocation): MaybePromise<Settled>;
}

export interface CompiledPrompt<Invocation = never> extends Compiled<Invocation>, Completable<Invocation> {}

/** Records of a list, by name. */
export type ListedRecords = ReadonlyMap<string, { readonly record: Fields }>;

export interface CompiledTemplate<Invocation = never> extends Omit<Compiled, 'serve'>, Completable<Invocation> {
  readonly match: TemplateMatcher;
  /** Equal for two templates that differ only in the names of their variables. */
  readonly shape: string;
  /** The resources that it lists, by URI; absent if it lists none. */
  readonly list: ((invocation: Invocation) => Promise<ListedRecords>) | undefined;
  serve(invocation: Invocation, variables: Readonly<Record<string, string>>): MaybePromise<Settled>;
}

/** A method of an extension, in the form of the kernel's own methods. */
export interface CompiledMethod<Invocation = never> {
  readonly capability: undefined;
  target(params: Fields): string;
  limit(): number | undefined;
  run(invocation: Invocation): MaybePromise<Settled>;
}

/** Receives a notification of a client; resolves when it is handled, errors are passed to `failed`. */
export type NotificationReceiver = (
  sender: NotificationSender,
  params: Readonly<Fields>,
  failed: (error: unknown) => void,
) => Promise<void>;

export interface CompiledExtension<Invocation = never> {
  readonly id: string | undefined;
  readonly settings: Readonly<Fields>;
  readonly methods: ReadonlyMap<string, CompiledMethod<Invocation>>;
  readonly notifications: ReadonlyMap<string, NotificationReceiver>;
}
