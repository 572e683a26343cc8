/** Turns typebox's errors into issues that help a model to fix its call. */

import type { TLocalizedValidationError } from 'typebox/error';
import type { Issue } from '../../schema/issues.ts';
import { shorten } from '../../schema/issues.ts';
import type { Sample } from './sample.ts';

const maxIssues = 8;
const maxMessage = 300;

/** The issues of a sample, from errors whose paths begin with the name of an entry. */
export function explain(errors: readonly TLocalizedValidationError[], { value, incomplete }: Sample): Issue[] {
  const issues: Issue[] = [];
  const reported = new Set<string>();
  for (const error of errors) {
    const place = locate(error.instancePath, value);
    if (incomplete.has(place.value)) continue;
    for (const issue of issuesOf(error, place)) {
      const message = shorten(issue.message, maxMessage);
      const key = `${issue.path.map(String).join('/')}: ${message}`;
      if (reported.has(key)) continue;
      reported.add(key);
      issues.push({ path: issue.path, message });
      if (issues.length === maxIssues) return issues;
    }
  }
  return issues.length > 0 ? issues : [{ path: [], message: 'does not match the schema' }];
}

interface Place {
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
}

/** The path of a JSON pointer without its first token (the entry), and the value there. */
function locate(pointer: string, root: unknown): Place {
  const path: PropertyKey[] = [];
  let value = root;
  for (const token of pointer.split('/').slice(2)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(key) : key);
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return { path, value };
}

function issuesOf(error: TLocalizedValidationError, { path, value }: Place): Issue[] {
  const each = (keys: readonly PropertyKey[], message: string): Issue[] =>
    keys.slice(0, maxIssues).map((key) => ({ path: [...path, key], message }));
  switch (error.keyword) {
    case 'required':
      return each(error.params.requiredProperties, 'is required');
    case 'unevaluatedProperties':
      return each(error.params.unevaluatedProperties, 'is not an allowed property');
    case 'unevaluatedItems':
      return each(error.params.unevaluatedItems, 'is not an allowed item');
    case 'dependencies':
    case 'dependentRequired': {
      const { property, dependencies } = error.params;
      return each(dependencies, `is required beside ${JSON.stringify(property)}`);
    }
    // Reported at the property itself.
    case 'additionalProperties':
    case 'propertyNames':
      return [];
    default:
      return [{ path, message: message(error, value) }];
  }
}

function message(error: TLocalizedValidationError, value: unknown): string {
  switch (error.keyword) {
    case 'type':
      return `expected ${[error.params.type].flat().join(' or ')}, got ${kind(value)}`;
    case 'boolean':
      return error.schemaPath.endsWith('/additionalProperties') ? 'is not an allowed property' : 'is not allowed here';
    case '~refine':
      return error.params.message;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${error.params.comparison} ${error.params.limit}`;
    case 'anyOf':
      return 'matches no alternative of anyOf';
    case 'oneOf':
      return error.params.passingSchemas.length > 1
        ? 'matches more than one alternative of oneOf'
        : 'matches no alternative of oneOf';
    case 'not':
      return 'matches a schema that not forbids';
    case 'if':
      return `breaks the '${error.params.failingKeyword}' part of a condition`;
    default:
      return error.message;
  }
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
