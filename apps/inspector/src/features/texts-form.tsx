/** A form of texts with completion: the arguments of a prompt, or the variables of a URI template. */
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import type { CompletionReference } from '../../../../src/protocol/generated/types/records.ts';
import { call } from '../api/call.ts';
import { CompletionInput } from '../controls/completion.tsx';
import { idOf } from '../form/field-props.ts';

type Texts = Readonly<Record<string, string>>;

export interface TextArgument {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
}

interface TextsFormProps {
  readonly client: ClientInfo;
  readonly id: string;
  readonly reference: CompletionReference;
  readonly fields: readonly TextArgument[];
  readonly values: Texts;
  readonly onChange: (values: Texts) => void;
}

export function TextsForm({ client, id, reference, fields, values, onChange }: TextsFormProps) {
  const set = (name: string, value: string): void => {
    const others = Object.fromEntries(Object.entries(values).filter(([each]) => each !== name));
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  const suggest = (name: string) => async (text: string) => {
    if (client.capabilities?.completions === undefined || client.state !== 'ready') return [];
    const others = Object.fromEntries(Object.entries(values).filter(([each]) => each !== name));
    const argument = { name, value: text };
    return (await call('complete', { client: client.id, ref: reference, argument, context: others })).values;
  };
  if (fields.length === 0) return <p class="faint no-fields">It has no arguments.</p>;
  return (
    <div class="form fields">
      {fields.map(({ name, title = name, description, isRequired }) => (
        <div key={name} class="field">
          <div class="field-label">
            <label for={`${id}.${idOf(name)}`}>
              <span class="field-name">{title}</span> {title !== name && <code class="faint">{name}</code>}{' '}
              {isRequired && <span class="required">required</span>}
            </label>
          </div>
          {description !== undefined && <p class="field-about">{description}</p>}
          <CompletionInput
            id={`${id}.${idOf(name)}`}
            label={title}
            value={Object.hasOwn(values, name) ? (values[name] ?? '') : ''}
            onChange={(value) => set(name, value)}
            suggest={suggest(name)}
            isRequired={isRequired}
          />
        </div>
      ))}
    </div>
  );
}
