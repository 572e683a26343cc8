/** Checks recorded arguments against the input schemas of a snapshot. */
import { fromJsonSchema } from '../json-schema/json-schema.ts';
import { isRecord } from '../lib/values/is.ts';
import type { StandardIssue } from '../schema/standard.ts';
import type { ServerSnapshot } from './snapshot.ts';

export interface ArgumentProblem {
  readonly text: string;
  /** Whether the value was removed from the capture, so that it is not known. */
  readonly isRedacted: boolean;
}

type Validate = (value: unknown) => readonly StandardIssue[];

/** A problem of the arguments, if there is one. A schema that cannot be used has none. */
export function createArgumentCheck({
  tools,
}: ServerSnapshot): (tool: string, args: object) => ArgumentProblem | undefined {
  const validators = new Map<string, Validate>();
  const validatorOf = (name: string): Validate => {
    const known = validators.get(name);
    if (known !== undefined) return known;
    const made = validatorFor(tools.find((tool) => tool.name === name)?.inputSchema);
    validators.set(name, made);
    return made;
  };
  return (name, args) => {
    const [issue] = validatorOf(name)(args);
    if (issue === undefined) return undefined;
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
    const text = `${path.length === 0 ? 'The arguments' : `\`${path.join('.')}\``}: ${issue.message}.`;
    return { text, isRedacted: isRedacted(path.reduce<unknown>(field, args)) };
  };
}

function validatorFor(schema: unknown): Validate {
  try {
    const { validate } = fromJsonSchema(isRecord(schema) ? schema : {})['~standard'];
    return (value) => {
      const result = validate(value);
      return result instanceof Promise ? [] : (result.issues ?? []);
    };
  } catch {
    return () => [];
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const isRedacted = (value: unknown): boolean => typeof value === 'string' && value.includes('‹redacted:');
