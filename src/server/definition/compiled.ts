/** A compiled definition as the kernel knows it; the rest is private to its feature. */
import type { Fields } from '../../protocol/neutral.ts';
import type { TemplateMatcher } from '../../protocol/uri-template/match.ts';
import type { CallerInfo } from '../ports/caller.ts';

export interface Compiled<Invocation = never> {
  /** The definition it was made of. */
  readonly source: object;
  /** As it stands in the list. */
  readonly record: Fields;
  /** How long a call of it may take, where its definition sets it. */
  readonly timeoutMs: number | undefined;
  serve(invocation: Invocation): void;
}

/** What has arguments that can be completed. */
export interface Completable<Invocation = never> {
  /** Whether there is a completer for any of them. */
  readonly completes: boolean;
  readonly timeoutMs: number | undefined;
  complete(invocation: Invocation): void;
}

export interface CompiledPrompt<Invocation = never> extends Compiled<Invocation>, Completable<Invocation> {}

export interface CompiledTemplate<Invocation = never> extends Omit<Compiled, 'serve'>, Completable<Invocation> {
  readonly match: TemplateMatcher;
  /** The same for two templates that differ in the names of their variables only. */
  readonly shape: string;
  serve(invocation: Invocation, variables: Readonly<Record<string, string>>): void;
}

/** A method of an extension, as the kernel has its own. */
export interface CompiledMethod<Invocation = never> {
  readonly capability: undefined;
  target(params: Fields): string;
  limit(): number | undefined;
  run(invocation: Invocation): void;
}

/** Receives a notification of a client; what goes wrong is reported to `failed`. */
export type NotificationReceiver = (
  caller: CallerInfo,
  params: Readonly<Fields>,
  failed: (error: unknown) => void,
) => void;

export interface CompiledExtension<Invocation = never> {
  readonly id: string | undefined;
  readonly settings: Readonly<Fields>;
  readonly methods: ReadonlyMap<string, CompiledMethod<Invocation>>;
  readonly notifications: ReadonlyMap<string, NotificationReceiver>;
}
