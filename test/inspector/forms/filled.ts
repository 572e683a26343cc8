/** Fills in a form as a user would: what is suggested, an example of each format, the first choice, the smallest list. */
import { exampleOf, type FormField, type NumberField } from '../../../src/json-schema/form-plan.ts';

/** `everything` also fills in what may be left out, as deep as `depth`. */
export function filled(field: FormField, everything: boolean, depth = 4): unknown {
  if (field.suggested !== undefined) return field.suggested;
  switch (field.kind) {
    case 'text':
      return (exampleOf(field.format) ?? 'Oslo').slice(0, field.maxLength).padEnd(field.minLength ?? 0, '.');
    case 'number':
      return numberFor(field);
    case 'boolean':
      return true;
    case 'fixed':
      return field.value;
    case 'choice':
      return field.choices[0]?.value;
    case 'choices':
      return field.choices.slice(0, Math.max(field.minItems ?? 0, everything ? 1 : 0)).map(({ value }) => value);
    case 'object': {
      const isWanted = (inner: FormField): boolean => inner.isRequired || (everything && depth > 0);
      const entries = field.fields().filter(isWanted);
      return Object.fromEntries(entries.map((inner) => [inner.name, filled(inner, everything, depth - 1)]));
    }
    case 'list': {
      const length = Math.max(field.minItems ?? 0, everything && depth > 0 ? 1 : 0);
      return Array.from({ length }, () => filled(field.item, everything, depth - 1));
    }
    case 'union':
      return field.options[0] === undefined ? null : filled(field.options[0].field(), everything, depth - 1);
    case 'json':
      return {};
  }
}

function numberFor({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 }: NumberField): number {
  const least = Math.max(minimum ?? -Infinity, (exclusiveMinimum ?? -Infinity) + multipleOf);
  const most = Math.min(maximum ?? Infinity, (exclusiveMaximum ?? Infinity) - multipleOf);
  const wanted = Math.min(Math.max(0, least), most);
  return Math.ceil(wanted / multipleOf) * multipleOf;
}
