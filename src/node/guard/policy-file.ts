/** A policy in a file, which is reloaded when the file changes. */
import type { UnknownValues } from '../../guard/policy/condition-values.ts';
import type { Decision, DecisionExplanation, DecisionOutcome, DecisionRequest } from '../../guard/policy/decision.ts';
import { invalidPolicy, type PolicyProblem } from '../../guard/policy/document/problems.ts';
import type { PolicyTest } from '../../guard/policy/document/test-reader.ts';
import { compilePolicy, type Policy, type VisibleRequest } from '../../guard/policy/policy.ts';
import { runPolicyTests } from '../../guard/policy/policy-tests.ts';
import { RecentDecisions } from '../../guard/policy/recent-decisions.ts';
import type { PolicyEffect, PolicyRule } from '../../guard/policy/rule.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type Filled, readOptions } from '../../lib/options/read-options.ts';
import { type Clock, type StopTimer, systemClock } from '../../lib/time/deadlines.ts';
import { pathModule } from '../process/builtins.ts';
import { policyFileOptions } from './policy-options.table.ts';
import type { PolicyFileOptions } from './policy-options.ts';
import { readPolicyFile, type StoredDocument, stampOf } from './read-policy.ts';

/** A new document took the place of another. */
export interface PolicyChange {
  /** The SHA-256 of the new document, in hexadecimal. */
  readonly digest: string;
  /** The SHA-256 of the document before. */
  readonly previousDigest: string;
}

/** A policy that decides by the newest good document of its file. */
export interface PolicyFile extends Policy {
  /** The absolute path of the file. */
  readonly path: string;
  /** The SHA-256 of the document that decides, in hexadecimal. */
  readonly digest: string;
  /** Calls the listener after each change, until the returned function is called. */
  onChange(listener: (change: PolicyChange) => void): () => void;
  /** Reads the file now. Returns whether the policy changed; throws `invalid-policy`, and changes nothing, for a bad document. */
  reload(): boolean;
  /** Looks at the file no more. The policy decides as before. */
  close(): void;
}

/**
 * Reads a policy from a file, and again whenever the file changes. A document that is not valid, or whose own `tests`
 * fail, changes nothing and is reported; at the start it throws `invalid-policy`.
 *
 * @example
 * ```ts
 * const policy = policyFile('policy.yaml', { onWarning: (warning) => console.error(warning.message) });
 * ```
 */
export function policyFile(path: string, options: PolicyFileOptions = {}): PolicyFile {
  return openPolicyFile(path, options, systemClock);
}

/** Tests pass a clock of their own. */
export function openPolicyFile(path: string, options: PolicyFileOptions, clock: Clock): PolicyFile {
  if (typeof path !== 'string' || path === '')
    throw new TenonError('invalid-argument', 'policyFile(): the path is missing.', { hint: 'Pass that of the file.' });
  const settings = readOptions('policyFile()', policyFileOptions, options, { onError: 'onWarning' });
  return new WatchedPolicy(pathModule().resolve(path), settings, clock);
}

type PolicyFileSettings = Filled<PolicyFileOptions, typeof policyFileOptions>;

/** A document that decides. */
interface GoodDocument {
  readonly digest: string;
  readonly policy: Policy;
}

class WatchedPolicy implements PolicyFile {
  readonly path: string;
  readonly #settings: PolicyFileSettings;
  readonly #clock: Clock;
  readonly #recent: RecentDecisions;
  readonly #listeners = new Set<(change: PolicyChange) => void>();
  #good: GoodDocument;
  /** The stamp of the file when it was last read; none at first, so that what was read at the start is checked again. */
  #read: string | undefined;
  /** The newest stamp that differs from it, and the document that the file had then. */
  #seen: { readonly stamp: string; readonly digest: string | undefined } | undefined;
  #stopTimer: StopTimer | undefined;
  #closed = false;

  constructor(path: string, settings: PolicyFileSettings, clock: Clock) {
    this.path = path;
    this.#settings = settings;
    this.#clock = clock;
    this.#recent = new RecentDecisions(settings.maxDecisions);
    this.#good = this.#compile(readPolicyFile(path));
    this.#lookAfter(settings.pollMs);
  }

  get rules(): readonly PolicyRule[] {
    return this.#good.policy.rules;
  }

  get tests(): readonly PolicyTest[] {
    return this.#good.policy.tests;
  }

  get digest(): string {
    return this.#good.digest;
  }

  decide(request: DecisionRequest): Decision {
    return this.#good.policy.decide(request);
  }

  evaluate(request: DecisionRequest): DecisionOutcome {
    return this.#good.policy.evaluate(request);
  }

  possibleEffects(request: DecisionRequest, unknown: UnknownValues): readonly PolicyEffect[] {
    return this.#good.policy.possibleEffects(request, unknown);
  }

  visible(request: VisibleRequest): boolean {
    return this.#good.policy.visible(request);
  }

  explain(decisionId: string): DecisionExplanation | undefined {
    return this.#good.policy.explain(decisionId);
  }

  onChange(listener: (change: PolicyChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  reload(): boolean {
    return this.#use(readPolicyFile(this.path));
  }

  #use(stored: StoredDocument): boolean {
    const previousDigest = this.#good.digest;
    if (stored.digest === previousDigest) return false;
    this.#good = this.#compile(stored);
    const change = { digest: stored.digest, previousDigest };
    for (const listener of this.#listeners) this.#safely(() => listener(change), 'A listener of onChange failed.');
    return true;
  }

  close(): void {
    this.#closed = true;
    this.#stopTimer?.();
    this.#listeners.clear();
  }

  #compile({ text, digest }: StoredDocument): GoodDocument {
    const fileName = pathModule().basename(this.path);
    const policy = compilePolicy(text, fileName, this.#recent);
    refuseFailedTests(policy, fileName);
    return { digest, policy };
  }

  #lookAfter(ms: number): void {
    if (this.#closed) return;
    this.#stopTimer = this.#clock.after(ms, () => void this.#look());
    // A program that has nothing else to do may exit.
    this.#stopTimer.hold?.(false);
  }

  /** Reads a file that has changed, and again at the next look: only a document that is the same then is used. */
  async #look(): Promise<void> {
    const stamp = await stampOf(this.path);
    if (this.#closed) return;
    if (stamp === this.#read) this.#seen = undefined;
    else this.#readTwice(stamp);
    this.#lookAfter(this.#settings.pollMs);
  }

  /** Half of a document that is still being written may be a valid one, without the `deny` rules at its end. */
  #readTwice(stamp: string): void {
    const found = readNow(this.path);
    const digest = found instanceof TenonError ? undefined : found.digest;
    if (this.#seen?.stamp !== stamp || this.#seen.digest !== digest) {
      this.#seen = { stamp, digest };
      return;
    }
    this.#read = stamp;
    this.#seen = undefined;
    try {
      if (found instanceof TenonError) throw found;
      this.#use(found);
    } catch (error) {
      const { message, details } = error as TenonError;
      const hint = 'The policy stays as it was.';
      this.#warn(new TenonError('invalid-policy', message, { hint, details, cause: error }));
    }
  }

  #safely(run: () => void, message: string): void {
    try {
      run();
    } catch (cause) {
      this.#warn(new TenonError('callback-failed', message, { cause }));
    }
  }

  /** A warning that cannot be delivered is lost. */
  #warn(warning: TenonError): void {
    const { onWarning = (one) => process.emitWarning(one) } = this.#settings;
    try {
      onWarning(warning);
    } catch {}
  }
}

/** The document, or why it cannot be read. */
function readNow(path: string): StoredDocument | TenonError {
  try {
    return readPolicyFile(path);
  } catch (error) {
    return error as TenonError;
  }
}

/** A document whose own tests fail does not mean what its author thinks. */
function refuseFailedTests(policy: Policy, fileName: string): void {
  const failed = runPolicyTests(policy).results.filter(({ passed }) => !passed);
  if (failed.length === 0) return;
  const hint = 'Change the rules, or what the test expects.';
  const problems = failed.map(
    ({ test: { line, column }, text }): PolicyProblem => ({
      line,
      column,
      place: 'tests',
      message: `tests: ${text}.`,
      hint,
    }),
  );
  throw invalidPolicy(fileName, problems);
}
