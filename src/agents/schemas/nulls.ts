/** Takes out of arguments the nulls that stand for "not set": models send them, in strict mode they have to. */
import { isRecord } from '../../lib/values/is.ts';
import { type Node, resolve, typesOf } from './nodes.ts';

/** Levels of references and unions that are followed. */
const deepest = 20;

/** Whether a schema accepts null. Where that is not clear, it does. */
export type AcceptsNull = (schema: unknown) => boolean;

/** For the schemas of one root. Each is looked at once: references can double them at every level. */
export function nullCheck(root: Node): AcceptsNull {
  const known = new Map<Node, boolean>();
  const accepts = (schema: unknown, depth: number): boolean => {
    if (typeof schema === 'boolean') return schema;
    if (!isRecord(schema) || depth > deepest) return true;
    const before = known.get(schema);
    if (before !== undefined) return before;
    // A schema that consists of itself says nothing more.
    known.set(schema, true);
    const answer = isNullIn(schema, root, (one) => accepts(one, depth + 1));
    known.set(schema, answer);
    return answer;
  };
  return (schema) => accepts(schema, 0);
}

function isNullIn(schema: Node, root: Node, accepts: AcceptsNull): boolean {
  const types = typesOf(schema);
  if (types !== undefined && !types.includes('null')) return false;
  if ('const' in schema && schema.const !== null) return false;
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return false;
  if (schema.$ref !== undefined && !accepts(resolve(root, schema.$ref))) return false;
  if (Array.isArray(schema.allOf) && !schema.allOf.every(accepts)) return false;
  return ['anyOf', 'oneOf'].every((keyword) => {
    const branches = schema[keyword];
    return !Array.isArray(branches) || branches.some(accepts);
  });
}

/** The value without the nulls of optional properties that do not accept null. `schema` is the one of the server. */
export function withoutUnsetNulls(value: unknown, schema: object): unknown {
  const root = schema as Node;
  return clean(value, [schema], { root, acceptsNull: nullCheck(root) }, 0);
}

interface Cleaning {
  readonly root: Node;
  readonly acceptsNull: AcceptsNull;
}

function clean(value: unknown, schemas: readonly unknown[], cleaning: Cleaning, depth: number): unknown {
  if (depth > deepest) return value;
  const applying = applied(schemas, cleaning.root);
  if (Array.isArray(value))
    return value.map((one, n) =>
      clean(
        one,
        applying.flatMap((node) => itemOf(node, n)),
        cleaning,
        depth + 1,
      ),
    );
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const named = applying.flatMap((node) => propertyOf(node, name));
    const isRequired = applying.some(({ required }) => Array.isArray(required) && required.includes(name));
    const isUnset = inner === null && !isRequired && named.length > 0 && !named.some(cleaning.acceptsNull);
    return isUnset ? [] : [[name, clean(inner, named, cleaning, depth + 1)] as const];
  });
  return Object.fromEntries(entries);
}

/** The schemas with all that they refer to and consist of. */
function applied(schemas: readonly unknown[], root: Node): Node[] {
  const found = new Set<Node>();
  const add = (schema: unknown): void => {
    if (!isRecord(schema) || found.has(schema) || found.size > 1000) return;
    found.add(schema);
    add(resolve(root, schema.$ref));
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) if (Array.isArray(schema[keyword])) schema[keyword].forEach(add);
    add(schema.then);
    add(schema.else);
  };
  schemas.forEach(add);
  return [...found];
}

const propertyOf = ({ properties, additionalProperties }: Node, name: string): unknown[] => {
  if (isRecord(properties) && Object.hasOwn(properties, name)) return [properties[name]];
  return isRecord(additionalProperties) ? [additionalProperties] : [];
};

const itemOf = ({ items, prefixItems }: Node, n: number): unknown[] => {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  if (n < first.length) return [first[n]];
  return isRecord(items) ? [items] : [];
};
