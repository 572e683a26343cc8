/** Draws the form that `planForm` planned for a JSON Schema. Each field gets its value, and reports a new one. */
import type { FormField } from '../../../../src/json-schema/form-plan.ts';
import { ChoicesInput, ListInput, ObjectInput, UnionInput } from './compound.tsx';
import { describedBy, type PartProps, problemHere } from './field-props.ts';
import { BooleanInput, ChoiceInput, FixedInput, JsonInput, NumberInput, TextInput } from './inputs.tsx';

/** The fields of a whole form. A schema that is no object is one field. */
export function Form(props: PartProps) {
  const { field, value } = props;
  if (field.kind !== 'object') return <Input {...props} />;
  if (field.fields().length === 0 && field.more === undefined)
    return <p class="faint no-fields">It has no arguments.</p>;
  return (
    <div class="form">
      <Input {...props} value={value ?? {}} />
    </div>
  );
}

/** Kinds whose parts have labels of their own. */
const groups: ReadonlySet<string> = new Set(['object', 'list', 'union', 'choices']);

/** A new item of a list is null until it is filled in. Choices and JSON may mean it. */
const isBlank = ({ kind }: FormField, value: unknown): boolean =>
  value === null && kind !== 'choice' && kind !== 'json' && kind !== 'fixed';

/** A field with its label, description and problem. */
function Field(props: PartProps) {
  const { field, id, value, problems, isBare = false } = props;
  if (isBare) return <Input {...props} value={isBlank(field, value) ? undefined : value} />;
  const isNull = value === null && field.isNullable;
  const problem = problemHere(problems);
  const rest = (
    <>
      {field.description !== undefined && (
        <p class="field-about" id={`${id}-about`}>
          {field.description}
        </p>
      )}
      {isNull || <Input {...props} value={isBlank(field, value) ? undefined : value} />}
      {problem !== undefined && (
        <p class="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </>
  );
  if (groups.has(field.kind))
    return (
      <fieldset class="field group" aria-describedby={describedBy(props)}>
        <legend>
          <Label {...props} />
          <NullSwitch {...props} />
        </legend>
        {rest}
      </fieldset>
    );
  return (
    <div class="field">
      <div class="field-label">
        <label for={id}>
          <Label {...props} />
        </label>
        <NullSwitch {...props} />
      </div>
      {rest}
    </div>
  );
}

const Label = ({ field: { label, name, isRequired, isDeprecated } }: PartProps) => (
  <>
    {/* The blanks are for screen readers: without them it is one word. */}
    <span class="field-name">{label}</span> {label !== name && name !== '' && <code class="faint">{name}</code>}{' '}
    {isRequired && <span class="required">required</span>} {isDeprecated && <span class="chip warn">deprecated</span>}
  </>
);

const NullSwitch = ({ field, value, onChange }: PartProps) =>
  field.isNullable ? (
    <label class="null-switch">
      <input
        type="checkbox"
        aria-label={`null as ${field.label}`}
        checked={value === null}
        onChange={(event) => onChange(event.currentTarget.checked ? null : undefined)}
      />
      null
    </label>
  ) : null;

/** A field without its label. */
function Input(given: PartProps) {
  const props = { ...given, Part: Field };
  const { field } = given;
  switch (field.kind) {
    case 'text':
      return <TextInput {...props} field={field} />;
    case 'number':
      return <NumberInput {...props} field={field} />;
    case 'boolean':
      return <BooleanInput {...props} field={field} />;
    case 'choice':
      return <ChoiceInput {...props} field={field} />;
    case 'choices':
      return <ChoicesInput {...props} field={field} />;
    case 'fixed':
      return <FixedInput {...props} field={field} />;
    case 'object':
      return <ObjectInput {...props} field={field} />;
    case 'list':
      return <ListInput {...props} field={field} />;
    case 'union':
      return <UnionInput {...props} field={field} />;
    case 'json':
      return <JsonInput {...props} field={field} />;
  }
}
