/** Inputs of values with parts: objects, lists, several choices, and unions. */
import { useState } from 'preact/hooks';
import {
  type ChoicesField,
  type FormField,
  initialValue,
  type ListField,
  type ObjectField,
  optionOf,
  type UnionField,
} from '../../../../src/json-schema/form-plan.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { type FieldProps, idOf, problemsIn } from './field-props.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** A value to begin with, for a part that the user has added. */
function firstValue(field: FormField): unknown {
  const first = initialValue({ ...field, isRequired: true } as FormField);
  if (first !== undefined) return first;
  const empty: Partial<Record<FormField['kind'], unknown>> = { object: {}, list: [], choices: [], text: '' };
  return empty[field.kind];
}

const without = (value: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));

export function ObjectInput(props: FieldProps<ObjectField>) {
  const { field, id, value, onChange, problems, Part } = props;
  if (value === undefined && !field.isRequired)
    return (
      <Button icon="plus" variant="quiet" onClick={() => onChange(firstValue(field))}>
        Fill in
      </Button>
    );
  const fields = fieldsOf(value);
  const set = (name: string, next: unknown): void =>
    onChange(next === undefined ? without(fields, name) : { ...fields, [name]: next });
  return (
    <div class="fields">
      {field.fields().map((inner) => (
        <Part
          key={inner.name}
          field={inner}
          id={`${id}.${idOf(inner.name)}`}
          value={Object.hasOwn(fields, inner.name) ? fields[inner.name] : undefined}
          onChange={(next) => set(inner.name, next)}
          problems={problemsIn(problems, inner.name)}
        />
      ))}
      <MoreInput {...props} value={fields} />
      {!field.isRequired && (
        <Button icon="close" variant="quiet" onClick={() => onChange(undefined)}>
          Leave out
        </Button>
      )}
    </div>
  );
}

/** Properties that the schema does not list. */
function MoreInput({ field, id, value, onChange, problems, Part }: FieldProps<ObjectField>) {
  const [name, setName] = useState('');
  const more = field.more?.();
  if (more === undefined) return null;
  const fields = fieldsOf(value);
  const listed = new Set(field.fields().map((inner) => inner.name));
  const add = (): void => {
    if (name === '' || Object.hasOwn(fields, name)) return;
    onChange({ ...fields, [name]: firstValue(more) ?? null });
    setName('');
  };
  return (
    <>
      {Object.keys(fields)
        .filter((each) => !listed.has(each))
        .map((each) => (
          <div key={each} class="item">
            <Part
              field={{ ...more, name: each, label: each } as FormField}
              id={`${id}.${idOf(each)}`}
              value={fields[each]}
              onChange={(next) => onChange({ ...fields, [each]: next ?? null })}
              problems={problemsIn(problems, each)}
            />
            <IconButton icon="close" label={`Remove ${each}`} onClick={() => onChange(without(fields, each))} />
          </div>
        ))}
      <div class="more">
        <input
          aria-label="Name of another property"
          placeholder="another property"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <Button icon="plus" variant="quiet" onClick={add} isDisabled={name === ''}>
          Add
        </Button>
      </div>
    </>
  );
}

export function ListInput({ field, id, value, onChange, problems, Part }: FieldProps<ListField>) {
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const set = (place: number, next: unknown): void =>
    onChange(items.map((item, each) => (each === place ? (next ?? null) : item)));
  const remove = (place: number): void => {
    const rest = items.filter((_, each) => each !== place);
    onChange(rest.length === 0 && !field.isRequired ? undefined : rest);
  };
  const isFull = field.maxItems !== undefined && items.length >= field.maxItems;
  return (
    <div class="items">
      {items.map((item, place) => (
        // Items have no name of their own: they are what is at a place.
        <div key={place} class="item">
          <span class="item-place mono faint">{place}</span>
          <Part
            field={{ ...field.item, label: `Item ${place + 1}`, isRequired: true } as FormField}
            id={`${id}.${place}`}
            value={item}
            onChange={(next) => set(place, next)}
            problems={problemsIn(problems, place)}
          />
          <IconButton icon="close" label={`Remove item ${place + 1}`} onClick={() => remove(place)} />
        </div>
      ))}
      <Button
        icon="plus"
        variant="quiet"
        isDisabled={isFull}
        onClick={() => onChange([...items, firstValue(field.item) ?? null])}
      >
        Add item
      </Button>
    </div>
  );
}

export function ChoicesInput({ field, value, onChange }: FieldProps<ChoicesField>) {
  const chosen = Array.isArray(value) ? value.map((each) => JSON.stringify(each)) : [];
  const toggle = (text: string): void => {
    const next = chosen.includes(text) ? chosen.filter((each) => each !== text) : [...chosen, text];
    onChange(next.length === 0 && !field.isRequired ? undefined : next.map((each) => JSON.parse(each)));
  };
  return (
    <div class="choices">
      {field.choices.map(({ value: choice, label }) => (
        <label key={label}>
          <input
            type="checkbox"
            checked={chosen.includes(JSON.stringify(choice))}
            onChange={() => toggle(JSON.stringify(choice))}
          />
          {label}
        </label>
      ))}
    </div>
  );
}

export function UnionInput(props: FieldProps<UnionField>) {
  const { field, id, value, onChange, Part } = props;
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const fitting = value === undefined ? undefined : optionOf(field, value);
  const at = chosen ?? fitting ?? -1;
  const option = field.options[at];
  const choose = (place: number): void => {
    setChosen(place === -1 ? undefined : place);
    const next = field.options[place];
    onChange(next === undefined ? undefined : firstValue(next.field()));
  };
  return (
    <div class="union">
      <select
        aria-label={`Kind of ${field.label}`}
        value={String(at)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {(at === -1 || !field.isRequired) && <option value="-1">—</option>}
        {field.options.map(({ label }, place) => (
          <option key={place} value={String(place)}>
            {label}
          </option>
        ))}
      </select>
      {option?.description !== undefined && <p class="field-about">{option.description}</p>}
      {option !== undefined && (
        <Part {...props} field={{ ...option.field(), isRequired: true }} id={`${id}.${at}`} isBare />
      )}
    </div>
  );
}
