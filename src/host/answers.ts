/** What one server is answered when it asks: by the host's one model, one user and one set of roots. */
import type { Answers } from '../client/answers.ts';
import type { Deadlines } from '../jsonrpc/deadlines.ts';
import type { ElicitResult, Root } from '../protocol/generated/types/records.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Consent, Judge } from './consent.ts';
import type { Decide } from './decisions.ts';
import type { Asking, HostOptions } from './options.ts';
import { createSampling } from './sampling.ts';
import type { Turns } from './turns.ts';

export interface AnswerPorts {
  readonly options: HostOptions;
  readonly deadlines: Deadlines;
  readonly turns: Turns;
  readonly judge: Judge;
  readonly decide: Decide;
}

/** What the host has no means for is not declared, so that the server does not ask for it. */
export function answersFor(server: string, ports: AnswerPorts): Answers {
  const { options, deadlines, judge, decide } = ports;
  const { sample, sampleTools = false, samplingLimits: given = {}, ask, opensPages = false, roots } = options;
  const hooks = hooksOf(options);
  const limits = typeof given === 'function' ? given(server) : given;
  const elicit = ask && elicitFor(server, ask, ports);
  const now = (): number => deadlines.now();
  return {
    ...(sample && {
      sample: createSampling(server, { model: sample, hooks, limits, judge, decide, now }),
      sampleTools,
    }),
    ...(elicit && { form: (asked, signal) => elicit({ ...asked, kind: 'form', server, signal }) }),
    ...(elicit && opensPages && { url: (asked, signal) => elicit({ ...asked, kind: 'url', server, signal }) }),
    ...(roots !== undefined && { roots: () => rootsFor(server, roots, hooks, judge) }),
  };
}

export const hooksOf = ({ consent }: HostOptions): Consent => (typeof consent === 'object' ? consent : {});

function elicitFor(server: string, ask: NonNullable<HostOptions['ask']>, { turns, decide }: AnswerPorts) {
  return (asked: Asking): Promise<ElicitResult> =>
    turns.take(server, asked.signal, async () => {
      const result = await ask(asked);
      const decision = result?.action === 'accept' ? 'allow' : 'deny';
      decide({ server, kind: 'elicit', decision, by: 'user', request: { message: asked.message } });
      return result;
    });
}

/** A server that may not see the roots sees none. */
async function rootsFor(
  server: string,
  given: NonNullable<HostOptions['roots']>,
  hooks: Consent,
  judge: Judge,
): Promise<readonly Root[]> {
  const value = typeof given === 'function' ? await given(server) : given;
  const ask =
    hooks.roots && ((roots: readonly Root[], signal: AbortSignal) => hooks.roots?.({ server, roots, signal }));
  const judged = await judge<readonly Root[]>({ server, kind: 'roots', value, ask, fits: isRootList });
  return judged.is === 'allowed' ? judged.value : [];
}

const isRootList = (value: unknown): value is readonly Root[] =>
  Array.isArray(value) && value.every((root) => isRecord(root) && typeof root.uri === 'string');
