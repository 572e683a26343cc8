/** Two servers, before and after a change, and what a comparison must say about them. */
import { createServer, type ServerDefinition, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';

export type Effect = 'breaks' | 'undecided' | 'review' | 'safe';

/** One change: its effect, what changed, and which callers it is about. */
export type Expected = readonly [effect: Effect, changed: string, callers?: string];

type AnyServer = ReturnType<typeof createServer>;

export interface Pair {
  readonly title: string;
  readonly before: AnyServer;
  readonly after: AnyServer;
  /** All changes. A pair without one means the same. */
  readonly changes: readonly Expected[];
}

type Schema = Readonly<Record<string, unknown>>;

export interface Forecast {
  readonly input?: Schema;
  readonly output?: Schema;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A server with one tool. Nothing of the pairs is ever called. */
export const forecast = ({ input, output, ...options }: Forecast, name = 'forecast'): AnyServer =>
  serverOf({
    tools: {
      [name]: tool(
        {
          ...options,
          ...(input && { inputSchema: fromJsonSchema(input) }),
          ...(output && { outputSchema: fromJsonSchema(output) }),
        },
        () => ({}),
      ),
    },
  });

export const serverOf = (
  features: Omit<ServerDefinition, 'name' | 'version'>,
  options: Parameters<typeof createServer>[1] = {},
): AnyServer => createServer({ name: 'weather', version: '1.0.0', ...features }, options) as AnyServer;

/** An object with these fields, of which the second argument names the required ones. */
export const object = (properties: Schema, required: readonly string[] = [], more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  ...more,
});

export const text: Schema = { type: 'string' };
export const number: Schema = { type: 'number' };
export const integer: Schema = { type: 'integer' };
