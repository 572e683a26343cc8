/** Inputs of single values: text, number, boolean, choice, and JSON. */
import { useState } from 'preact/hooks';
import {
  type BooleanField,
  type ChoiceField,
  exampleOf,
  type FixedField,
  type JsonField,
  type NumberField,
  readText,
  shownText,
  type TextField,
} from '../../../../src/json-schema/form-plan.ts';
import { describes, type FieldProps } from './field-props.ts';
import { JsonEditor } from './json-editor.tsx';

/** A text that is longer than a line gets an area. */
const isLong = (field: TextField, value: string): boolean =>
  value.includes('\n') || value.length > 60 || (field.maxLength ?? 0) > 400;

export function TextInput(props: FieldProps<TextField>) {
  const { field, value, onChange } = props;
  const text = typeof value === 'string' ? value : shownText(field, value);
  const change = (next: string): void => onChange(next === '' && !field.isRequired ? undefined : next);
  const shared = {
    ...describes(props),
    value: text,
    placeholder: exampleOf(field.format) ?? field.pattern ?? '',
    spellcheck: false,
    autocomplete: 'off',
  };
  if (!field.isSecret && isLong(field, text))
    return (
      <textarea
        {...shared}
        rows={Math.min(10, Math.max(3, text.split('\n').length))}
        onInput={(event) => change(event.currentTarget.value)}
      />
    );
  const onInput = (event: { readonly currentTarget: HTMLInputElement }): void => change(event.currentTarget.value);
  // Inputs of browsers for dates and addresses would hide or change what is sent.
  return field.isSecret ? (
    <input {...shared} type="password" onInput={onInput} />
  ) : (
    <input {...shared} type="text" onInput={onInput} />
  );
}

export function NumberInput(props: FieldProps<NumberField>) {
  const { field, value, onChange } = props;
  const [typed, setTyped] = useState('');
  // What was typed stays, such as `1.0`, as long as it is this value.
  const text = isValueOf(field, typed, value) ? typed : shownText(field, value);
  const change = (next: string): void => {
    setTyped(next);
    onChange(valueOf(field, next));
  };
  return (
    <input
      {...describes(props)}
      type="text"
      inputMode={field.isInteger ? 'numeric' : 'decimal'}
      class="number"
      value={text}
      placeholder={rangeOf(field)}
      autocomplete="off"
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}

/** A text that is no number stays a text, which is reported as a problem. */
function valueOf(field: NumberField, text: string): unknown {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

const isValueOf = (field: NumberField, text: string, value: unknown): boolean => Object.is(valueOf(field, text), value);

function rangeOf({ minimum, maximum }: NumberField): string {
  if (minimum === undefined && maximum === undefined) return '';
  return `${minimum ?? ''} … ${maximum ?? ''}`.trim();
}

export function BooleanInput(props: FieldProps<BooleanField>) {
  const { field, value, onChange } = props;
  const options = [
    [true, 'true'],
    [false, 'false'],
  ] as const;
  return (
    <div class="segments" role="group" id={props.id} aria-label={field.label}>
      {options.map(([option, text]) => (
        <button
          key={text}
          type="button"
          aria-pressed={value === option}
          onClick={() => onChange(value === option && !field.isRequired ? undefined : option)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export function ChoiceInput(props: FieldProps<ChoiceField>) {
  const { field, value, onChange } = props;
  const at = field.choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
  return (
    <select
      {...describes(props)}
      value={String(at)}
      onChange={(event) => onChange(field.choices[Number(event.currentTarget.value)]?.value)}
    >
      {(at === -1 || !field.isRequired) && <option value="-1">—</option>}
      {field.choices.map(({ label }, place) => (
        <option key={label} value={String(place)}>
          {label}
        </option>
      ))}
    </select>
  );
}

export const FixedInput = ({ field, id }: FieldProps<FixedField>) => (
  <output id={id} class="mono fixed">
    {JSON.stringify(field.value)}
  </output>
);

/** Any JSON: an example of what `readText` reads. A text that is no JSON is held here, and the value stays absent. */
export function JsonInput(props: FieldProps<JsonField>) {
  const { field, value, onChange } = props;
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const read = typed === undefined ? undefined : readText(field, typed);
  const isCurrent = read !== undefined && 'value' in read && JSON.stringify(read.value) === JSON.stringify(value);
  const isBroken = read !== undefined && 'problem' in read && value === undefined;
  const text = isCurrent || isBroken ? (typed ?? '') : value === undefined ? '' : JSON.stringify(value, null, 2);
  const change = (next: string): void => {
    setTyped(next);
    const parsed = readText(field, next);
    onChange('value' in parsed ? parsed.value : undefined);
  };
  return (
    <>
      <JsonEditor {...describes(props)} value={text} onChange={change} minRows={2} placeholder="JSON" />
      {isBroken && typed?.trim() !== '' && <p class="field-problem">This is not JSON yet.</p>}
    </>
  );
}
