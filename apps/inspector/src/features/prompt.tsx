/** A prompt: its arguments with completion, and the messages that it gives. */
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import { idOf } from '../form/field-props.ts';
import { draftOf, setDraft } from '../state/drafts.ts';
import { listOf } from '../state/lists.ts';
import { place } from '../state/place.ts';
import { Head } from './head.tsx';
import { Missing } from './missing.tsx';
import { Outcome } from './outcome.tsx';
import { RunBar } from './run-bar.tsx';
import { TextsForm } from './texts-form.tsx';

type Texts = Readonly<Record<string, string>>;

export function PromptPane({ client }: { readonly client: ClientInfo }) {
  const { name } = place.value;
  const list = listOf(client.id, 'prompts');
  const prompt = list.items.find((each) => each.name === name);
  if (prompt === undefined) return <Missing client={client} noun="prompt" name={name} list={list} />;
  const key = `prompt ${prompt.name}`;
  const values = (draftOf(key)?.value ?? {}) as Texts;
  const fields = (prompt.arguments ?? []).map((argument) => ({ ...argument, isRequired: argument.required === true }));
  const isFilled = fields.every((field) => !field.isRequired || Object.hasOwn(values, field.name));
  return (
    <article key={key} class="item-pane">
      <Head title={prompt.title ?? prompt.name} name={prompt.name} about={prompt.description} />
      <section class="arguments" aria-label="Arguments">
        <TextsForm
          client={client}
          id={idOf(key)}
          reference={{ type: 'ref/prompt', name: prompt.name }}
          fields={fields}
          values={values}
          onChange={(value) => setDraft(key, { value })}
        />
        <RunBar
          client={client}
          request={{ kind: 'prompt', name: prompt.name, arguments: values }}
          itemKey={key}
          text="Get"
          isReady={isFilled}
        />
      </section>
      <Outcome itemKey={key} client={client} />
    </article>
  );
}
