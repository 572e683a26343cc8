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

/** What a question needs beside its field. */
interface Asking extends PromptContext {
  readonly prompts: Prompts;
  /** The labels of the fields around this one. */
  readonly around: readonly string[];
  /** The value so far: it is not asked for again if it is valid. */
  readonly before: unknown;
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
): Promise<unknown> => askField(plan, { prompts, around: [], before: known, only, signal });

/** Asks again until the value is valid: lists and choices are checked when all of it is there. */
async function askField(field: FormField, asking: Asking): Promise<unknown> {
  for (;;) {
    const value = await askOnce(field, asking);
    const [problem] = checkValue(field, value);
    if (problem === undefined) return value;
    asking.prompts.note(`${[...asking.around, ...problem.path].join(' › ')}: ${problem.message}`);
  }
}

async function askOnce(field: FormField, asking: Asking): Promise<unknown> {
  if (field.isNullable && field.kind !== 'json' && (await askForNull(field, asking))) return null;
  const { prompts, before, signal } = asking;
  const message = titleOf(field, asking);
  const initial = before ?? field.suggested;
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
      return askObject(field, asking);
    case 'list':
      return askList(field, asking);
    case 'union':
      return askUnion(field, asking);
    default:
      return askText(field, asking);
  }
}

const shownChoices = (choices: readonly { value: unknown; label: string; description?: string }[]) =>
  choices.map(({ value, label, description }) => ({ value, label, hint: description }));

const askForNull = async (field: FormField, { prompts, signal, ...asking }: Asking): Promise<boolean> =>
  !(await prompts.confirm({ message: `${titleOf(field, asking)}\nGive a value? (no: null)`, signal }));

async function askText(field: FormField, asking: Asking): Promise<unknown> {
  const { prompts, before, signal } = asking;
  const text = await prompts.text({
    message: titleOf(field, asking),
    initial: shownText(field, before ?? field.suggested) || undefined,
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
function titleOf(field: FormField, { around }: Pick<Asking, 'around'>): string {
  const place = [...around, field.label].filter((label) => label !== '').join(' › ');
  const form = field.kind === 'json' ? ` (JSON: ${field.reason})` : '';
  return [`${place}${form}`, field.description].filter((line) => line !== undefined && line !== '').join('\n');
}

async function askObject(field: ObjectField, asking: Asking): Promise<Fields> {
  const known = isRecord(asking.before) ? asking.before : {};
  const values = new Map(Object.entries({ ...(initialValue(field) as Fields | undefined), ...known }));
  const inner = { ...asking, around: labelsInside(field, asking) };
  const isOpen = (one: FormField): boolean =>
    !Object.hasOwn(known, one.name) || checkValue(one, known[one.name]).length > 0;
  const open = field.fields().filter(isOpen);
  const required = open.filter((one) => one.isRequired && one.kind !== 'fixed');
  const optional = asking.only === 'required' ? [] : open.filter((one) => !one.isRequired);
  for (const one of required) values.set(one.name, await askField(one, { ...inner, before: values.get(one.name) }));
  for (const one of await chosenFields(optional, inner))
    values.set(one.name, await askField(one, { ...inner, before: values.get(one.name) }));
  if (field.more !== undefined && asking.only === 'all')
    for (const [name, value] of await askFurther(field.more(), inner)) values.set(name, value);
  return Object.fromEntries(values);
}

async function chosenFields(fields: readonly FormField[], asking: Asking): Promise<readonly FormField[]> {
  if (fields.length === 0) return [];
  const options: PromptOption<string>[] = fields.map((field) => ({
    value: field.name,
    label: field.label,
    hint: hintOf(field),
  }));
  const place = asking.around.length === 0 ? '' : ` of ${asking.around.join(' › ')}`;
  const message = `Optional fields${place}: choose those to fill in`;
  const chosen = await asking.prompts.chooseSome({ message, options, signal: asking.signal });
  return fields.filter(({ name }) => chosen.includes(name));
}

const hintOf = ({ description, suggested }: FieldFacts): string | undefined =>
  suggested === undefined
    ? description
    : [`default ${JSON.stringify(suggested)}`, description].filter(Boolean).join(', ');

/** Names that the schema does not list, until none is typed. */
async function askFurther(field: FormField, asking: Asking): Promise<ReadonlyMap<string, unknown>> {
  const values = new Map<string, unknown>();
  const { prompts, around, signal } = asking;
  for (;;) {
    const message = [...around, 'a further field: its name, or nothing'].join(' › ');
    const name = await prompts.text({ message, signal });
    if (name === '') return values;
    values.set(name, await askField(field, { ...asking, around: [...around, name], before: values.get(name) }));
  }
}

/** Items until one is left empty, or until the person has no other. */
async function askList(field: ListField, asking: Asking): Promise<unknown[]> {
  const { prompts, signal } = asking;
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, item } = field;
  const values: unknown[] = [];
  while (values.length < maxItems) {
    const label = `${field.label} ${values.length + 1}`;
    const isAsked =
      values.length < minItems ||
      (await prompts.confirm({
        message: `${titleOf(field, asking)}\n${values.length === 0 ? 'Add an item?' : 'Add another?'}`,
        initial: values.length === 0,
        signal,
      }));
    if (!isAsked) break;
    values.push(await askField(item, { ...asking, around: [...asking.around, label], before: undefined }));
  }
  return values;
}

async function askUnion(field: UnionField, asking: Asking): Promise<unknown> {
  const { prompts, before, signal } = asking;
  const place = await prompts.choose({
    message: titleOf(field, asking),
    options: field.options.map(({ label, description }, value) => ({ value, label, hint: description })),
    initial: before === undefined ? undefined : optionOf(field, before),
    signal,
  });
  const option = field.options[place];
  if (option === undefined) return undefined;
  return askField(option.field(), { ...asking, around: labelsInside(field, asking), before: undefined });
}

const labelsInside = (field: FormField, { around }: Asking): readonly string[] =>
  field.label === '' ? around : [...around, field.label];
