/** A resource, or a resource template: read it, subscribe to it, see its contents. */
import { useEffect } from 'preact/hooks';
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import type { Resource, ResourceTemplate } from '../../../../src/protocol/generated/types/records.ts';
import { expandTemplate } from '../../../../src/protocol/uri-template/expand.ts';
import { parseUriTemplate, type UriTemplate } from '../../../../src/protocol/uri-template/parse.ts';
import { call } from '../api/call.ts';
import { Button } from '../controls/button.tsx';
import { shownBytes, shownTime } from '../controls/format.ts';
import { Empty } from '../controls/notice.tsx';
import { idOf } from '../form/field-props.ts';
import { draftOf, setDraft } from '../state/drafts.ts';
import { updateKey } from '../state/known.ts';
import { listOf } from '../state/lists.ts';
import { place } from '../state/place.ts';
import { runsOfKey, start } from '../state/runs.ts';
import { known, putClient } from '../state/store.ts';
import { Head } from './head.tsx';
import { Missing } from './missing.tsx';
import { Outcome } from './outcome.tsx';
import { RunBar } from './run-bar.tsx';
import { TextsForm } from './texts-form.tsx';

type Texts = Readonly<Record<string, string>>;

export function ResourcePane({ client }: { readonly client: ClientInfo }) {
  const { name } = place.value;
  const list = listOf(client.id, 'resources');
  const templates = listOf(client.id, 'templates').items;
  if (name === undefined)
    return (
      <Missing
        client={client}
        noun="resource"
        name={name}
        list={templates.length > 0 ? { ...list, items: templates } : list}
      />
    );
  const template = templates.find(({ uriTemplate }) => uriTemplate === name);
  if (template !== undefined) return <OneTemplate key={name} client={client} template={template} />;
  // A link of a result may lead to a resource that no list has.
  const resource = list.items.find(({ uri }) => uri === name) ?? { uri: name, name };
  return <OneResource key={name} client={client} resource={resource} />;
}

function OneResource({ client, resource }: { readonly client: ClientInfo; readonly resource: Resource }) {
  const { uri, name, title, description, mimeType, size } = resource;
  const key = `resource ${uri}`;
  const updated = useReading(client, uri);
  return (
    <article class="item-pane">
      <Head title={title ?? name} name={uri} about={description}>
        {mimeType !== undefined && <span class="chip">{mimeType}</span>}
        {size !== undefined && <span class="faint">{shownBytes(size)}</span>}
      </Head>
      <RunBar client={client} request={{ kind: 'resource', uri }} itemKey={key} text="Read">
        <Subscription client={client} uri={uri} />
      </RunBar>
      {updated !== undefined && (
        <p class="updated" role="status">
          Updated at {shownTime(updated)}, and read again.
        </p>
      )}
      <Outcome itemKey={key} client={client} />
    </article>
  );
}

/** A resource that changes all the time is read this often at most. */
const readingPauseMs = 500;

/** Reads a resource when it is opened for the first time, and when the server reports a change. Returns when that was. */
function useReading(client: ClientInfo, uri: string): number | undefined {
  const updated = known.value.updates[updateKey(client.id, uri)];
  useEffect(() => {
    if (client.state !== 'ready') return undefined;
    const [last] = runsOfKey(`resource ${uri}`, client.id);
    if (last !== undefined && last.startedAt >= (updated ?? 0)) return undefined;
    const read = (): void => void start(client.id, { kind: 'resource', uri });
    if (last === undefined) return read();
    const timer = setTimeout(read, readingPauseMs);
    return () => clearTimeout(timer);
  }, [client.id, client.state, uri, updated]);
  return updated;
}

function Subscription({ client, uri }: { readonly client: ClientInfo; readonly uri: string }) {
  if (client.capabilities?.resources?.subscribe !== true) return null;
  const isOn = client.subscriptions.includes(uri);
  const change = (): void =>
    void call('subscribe', { client: client.id, uri, isOn: !isOn }).then(
      (answer) => putClient(answer.client),
      () => undefined,
    );
  return (
    <Button icon="bell" onClick={change} isDisabled={client.state !== 'ready'}>
      {isOn ? 'Unsubscribe' : 'Subscribe'}
    </Button>
  );
}

function OneTemplate({ client, template }: { readonly client: ClientInfo; readonly template: ResourceTemplate }) {
  const { uriTemplate, name, title, description, mimeType } = template;
  const key = `template ${uriTemplate}`;
  const values = (draftOf(key)?.value ?? {}) as Texts;
  const parsed = parse(uriTemplate);
  if (parsed === undefined) return <Empty>{uriTemplate} is not a valid URI template (RFC 6570).</Empty>;
  const names = [
    ...new Set(
      parsed.parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name))),
    ),
  ];
  const uri = expandTemplate(parsed, values);
  return (
    <article class="item-pane">
      <Head title={title ?? name} name={uriTemplate} about={description}>
        {mimeType !== undefined && <span class="chip">{mimeType}</span>}
      </Head>
      <section class="arguments" aria-label="Variables">
        <TextsForm
          client={client}
          id={idOf(key)}
          reference={{ type: 'ref/resource', uri: uriTemplate }}
          fields={names.map((name) => ({ name, isRequired: false }))}
          values={values}
          onChange={(value) => setDraft(key, { value })}
        />
        <p class="expanded">
          <span class="faint">URI</span> <code>{uri}</code>
        </p>
        <RunBar client={client} request={{ kind: 'resource', uri }} itemKey={`resource ${uri}`} text="Read" />
      </section>
      <Outcome itemKey={`resource ${uri}`} client={client} />
    </article>
  );
}

function parse(template: string): UriTemplate | undefined {
  try {
    return parseUriTemplate(template);
  } catch {
    return undefined;
  }
}
