/** Results that cannot be serialized as JSON, each for its own reason. */
import { rpcError, type ServerOptions, tool, toolResult } from 'tenon';
import type { Middleware } from 'tenon/server';

export const failing = (): never => {
  throw new Error('broken');
};

/** A sparse array: length 1, no element. */
export function hole(): unknown[] {
  const list: unknown[] = [];
  list.length = 1;
  return list;
}

function circular(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const content = [{ type: 'text' as const, text: 'x' }];

const structured: Record<string, () => unknown> = {
  'a BigInt': () => ({ rows: 5n }),
  'a circle': circular,
  'a toJSON that throws': () => ({ rows: { toJSON: failing } }),
  'a getter that throws': () => Object.defineProperty({}, 'rows', { enumerable: true, get: failing }),
  'a revoked proxy': () => ({ rows: revoked() }),
};

/** A block whose text can be read `times` times, then throws. */
function block(times: number): object {
  let reads = 0;
  return Object.defineProperty({ type: 'text' }, 'text', {
    enumerable: true,
    get: () => (reads++ < times ? 'x' : failing()),
  });
}

interface Odd {
  readonly options: ServerOptions;
  readonly tools: { readonly odd: ReturnType<typeof tool> };
}

const ofTool = (handler: () => never): Odd => ({ options: {}, tools: { odd: tool({}, handler) } });

/** Middleware that replaces the result of the tool `odd`. */
export function ofMiddleware(made: () => unknown): Odd {
  const replace: Middleware = async ({ target }, next) =>
    target === 'odd' ? ({ resultType: 'complete', result: made() } as never) : next();
  return { options: { middleware: [replace] }, tools: { odd: tool({}, () => 'x') } };
}

export const unwritable: ReadonlyArray<readonly [what: string, odd: () => Odd]> = [
  ...Object.entries(structured).flatMap(
    ([what, make]) =>
      [
        [
          `of a tool that holds ${what}`,
          () => ofTool(() => toolResult({ content, structuredContent: make() as never }) as never),
        ],
        [`of middleware that holds ${what}`, () => ofMiddleware(() => ({ content, structuredContent: make() }))],
      ] as const,
  ),
  ...[0, 1].map(
    (times) =>
      [`whose text throws after ${times} reads`, () => ofMiddleware(() => ({ content: [block(times)] }))] as const,
  ),
  ['that is an error whose data hold a BigInt', () => ofTool(() => failWith({ rows: 5n }))],
];

function failWith(data: unknown): never {
  throw rpcError('invalid-params', 'odd', data);
}
