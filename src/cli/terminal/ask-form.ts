/** Asks for the values of a form, field by field: required ones first, then those that the person chooses. */
import {
  checkValue,
  exampleOf,
  type FieldFacts,
  type FormField,
  initialValue,
  type ListField,
  type ObjectField,
  optionOf,
  readText,
  shownText,
  type UnionField,
} from '../../json-schema/form-plan.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { PromptContext, PromptOption, Prompts } from '../io/prompts.ts';

type Fields = Record<string, unknown>;

/** What is the same for a field and those inside it. */
interface FieldContext extends PromptContext {
  readonly prompts: Prompts;
  /** The labels of the fields that contain this one. */
  readonly parents: readonly string[];
  /** The value so far: it is not asked for again if it is valid. */
  readonly current: unknown;
  /** Whether optional fields are offered. */
  readonly only: 'required' | 'all';
}

export interface FormQuestion extends PromptContext {
  /** The value so far. What is valid in it is not asked for. */
  readonly known?: unknown;
  /** Asks for required fields, or offers optional ones too. Default `'all'`. */
  readonly only?: 'required' | 'all';
}

export const askForm = (
  plan: FormField,
  prompts: Prompts,
  { known, only = 'all', signal }: FormQuestion = {},
): Promise<unknown> => askField(plan, { prompts, parents: [], current: known, only, signal });

/** Asks again until the value is valid: lists and choices are checked when all of it is there. */
async function askField(field: FormField, context: FieldContext): Promise<unknown> {
  for (;;) {
    const value = await askOnce(field, context);
    const [problem] = checkValue(field, value);
    if (problem === undefined) return value;
    context.prompts.note(`${[...context.parents, ...problem.path].join(' › ')}: ${problem.message}`);
  }
}

async function askOnce(field: FormField, context: FieldContext): Promise<unknown> {
  if (field.isNullable && field.kind !== 'json' && (await askForNull(field, context))) return null;
  const { prompts, current, signal } = context;
  const message = titleOf(field, context);
  const initial = current ?? field.suggested;
  switch (field.kind) {
    case 'fixed':
      return field.value;
    case 'boolean':
      return prompts.confirm({ message, initial: typeof initial === 'boolean' ? initial : undefined, signal });
    case 'choice':
      return prompts.choose({ message, options: shownChoices(field.choices), initial, signal });
    case 'choices':
      return prompts.chooseSome({
        message,
        options: shownChoices(field.choices),
        initial: Array.isArray(initial) ? initial : [],
        signal,
      });
    case 'object':
      return askObject(field, context);
    case 'list':
      return askList(field, context);
    case 'union':
      return askUnion(field, context);
    default:
      return askText(field, context);
  }
}

const shownChoices = (choices: readonly { value: unknown; label: string; description?: string }[]) =>
  choices.map(({ value, label, description }) => ({ value, label, hint: description }));

const askForNull = async (field: FormField, { prompts, signal, ...context }: FieldContext): Promise<boolean> =>
  !(await prompts.confirm({ message: `${titleOf(field, context)}\nGive a value? (No sends null.)`, signal }));

async function askText(field: FormField, context: FieldContext): Promise<unknown> {
  const { prompts, current, signal } = context;
  const text = await prompts.text({
    message: titleOf(field, context),
    initial: shownText(field, current ?? field.suggested) || undefined,
    placeholder: placeholderOf(field),
    isSecret: field.kind === 'text' && field.isSecret,
    signal,
    check: (typed) => problemIn(field, typed),
  });
  const read = readText(field, text);
  return 'value' in read ? read.value : undefined;
}

function problemIn(field: FormField, text: string): string | undefined {
  const read = readText(field, text);
  return 'problem' in read ? read.problem : undefined;
}

function placeholderOf(field: FormField): string | undefined {
  if (field.kind === 'text') return exampleOf(field.format) ?? field.pattern;
  return field.kind === 'json' ? '{"…": …}' : undefined;
}

/** Where the field is, what it is for, and why it is written as JSON. */
function titleOf(field: FormField, { parents }: Pick<FieldContext, 'parents'>): string {
  const place = [...parents, field.label].filter((label) => label !== '').join(' › ');
  const form = field.kind === 'json' ? ` (JSON: ${field.reason})` : '';
  return [`${place}${form}`, field.description].filter((line) => line !== undefined && line !== '').join('\n');
}

async function askObject(field: ObjectField, context: FieldContext): Promise<Fields> {
  const known = isRecord(context.current) ? context.current : {};
  const values = new Map(Object.entries({ ...(initialValue(field) as Fields | undefined), ...known }));
  const inner = { ...context, parents: labelsInside(field, context) };
  const isOpen = (one: FormField): boolean =>
    !Object.hasOwn(known, one.name) || checkValue(one, known[one.name]).length > 0;
  const open = field.fields().filter(isOpen);
  const required = open.filter((one) => one.isRequired && one.kind !== 'fixed');
  const optional = context.only === 'required' ? [] : open.filter((one) => !one.isRequired);
  for (const one of required) values.set(one.name, await askField(one, { ...inner, current: values.get(one.name) }));
  for (const one of await chosenFields(optional, inner))
    values.set(one.name, await askField(one, { ...inner, current: values.get(one.name) }));
  if (field.more !== undefined && context.only === 'all')
    for (const [name, value] of await askFurther(field.more(), inner)) values.set(name, value);
  return Object.fromEntries(values);
}

async function chosenFields(fields: readonly FormField[], context: FieldContext): Promise<readonly FormField[]> {
  if (fields.length === 0) return [];
  const options: PromptOption<string>[] = fields.map((field) => ({
    value: field.name,
    label: field.label,
    hint: hintOf(field),
  }));
  const place = context.parents.length === 0 ? '' : ` of ${context.parents.join(' › ')}`;
  const message = `Optional fields${place}: choose those to fill in`;
  const chosen = await context.prompts.chooseSome({ message, options, signal: context.signal });
  return fields.filter(({ name }) => chosen.includes(name));
}

const hintOf = ({ description, suggested }: FieldFacts): string | undefined =>
  suggested === undefined
    ? description
    : [`default ${JSON.stringify(suggested)}`, description].filter(Boolean).join(', ');

/** Names that the schema does not list, until none is typed. */
async function askFurther(field: FormField, context: FieldContext): Promise<ReadonlyMap<string, unknown>> {
  const values = new Map<string, unknown>();
  const { prompts, parents, signal } = context;
  for (;;) {
    const message = [...parents, 'name of another field; leave it empty to go on'].join(' › ');
    const name = await prompts.text({ message, signal });
    if (name === '') return values;
    values.set(name, await askField(field, { ...context, parents: [...parents, name], current: values.get(name) }));
  }
}

/** Items, until the person adds no other. */
async function askList(field: ListField, context: FieldContext): Promise<unknown[]> {
  const { prompts, signal } = context;
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, item } = field;
  const values: unknown[] = [];
  while (values.length < maxItems) {
    const label = `${field.label} ${values.length + 1}`;
    const isAsked =
      values.length < minItems ||
      (await prompts.confirm({
        message: `${titleOf(field, context)}\n${values.length === 0 ? 'Add an item?' : 'Add another?'}`,
        initial: values.length === 0,
        signal,
      }));
    if (!isAsked) break;
    values.push(await askField(item, { ...context, parents: [...context.parents, label], current: undefined }));
  }
  return values;
}

async function askUnion(field: UnionField, context: FieldContext): Promise<unknown> {
  const { prompts, current, signal } = context;
  const place = await prompts.choose({
    message: titleOf(field, context),
    options: field.options.map(({ label, description }, value) => ({ value, label, hint: description })),
    initial: current === undefined ? undefined : optionOf(field, current),
    signal,
  });
  const option = field.options[place];
  if (option === undefined) return undefined;
  return askField(option.field(), { ...context, parents: labelsInside(field, context), current: undefined });
}

const labelsInside = (field: FormField, { parents }: FieldContext): readonly string[] =>
  field.label === '' ? parents : [...parents, field.label];
