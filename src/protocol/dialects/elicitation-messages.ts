/** Elicitation as the founding documents exchange it: a form becomes messages, and the user's message becomes its content. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { rpcError } from '../errors.ts';
import type { RequestedSchema } from '../generated/types/records.ts';
import type { InputRequest } from '../neutral.ts';

const method = 'elicitation/createMessage';

/** Sends a form as a message, and reads the user's message as its content. A URL has no such form. */
export async function elicitByMessages(
  request: InputRequest,
  send: (request: InputRequest) => Promise<Fields>,
): Promise<Fields> {
  const { mode, message, requestedSchema, messages = [], metadata, _meta } = request.params ?? {};
  if (mode === 'url') return send(request);
  const schema = requestedSchema as RequestedSchema;
  const text = `${String(message)}${fieldsText(schema)}`;
  const params = {
    messages: [...(messages as readonly Fields[]), { role: 'assistant', content: { type: 'text', text } }],
    ...(metadata !== undefined && { metadata }),
    ...(_meta !== undefined && { _meta }),
  };
  try {
    return answerOf(schema, textOf([await send({ method, params })]));
  } catch (error) {
    if (!(error instanceof RpcError) || error.reason !== 'user-rejected') throw error;
    return { action: isRecord(error.data) && error.data.action === 'cancel' ? 'cancel' : 'decline' };
  }
}

/** A text cannot show the fields of a form. Where there are several, the user has to know their names. */
function fieldsText({ properties, required = [] }: RequestedSchema): string {
  const names = Object.keys(properties);
  if (names.length < 2) return '';
  const fields = names.map((name) => {
    const { type, title }: Fields = { ...properties[name] };
    const words = [title, type, required.includes(name) ? undefined : 'optional'].filter((word) => word !== undefined);
    return `"${name}" (${words.join(', ')})`;
  });
  return `\n\nAnswer with a JSON object of ${fields.join(', ')}.`;
}

/** One field: the text is its value. Several: the text is JSON. None: the text agrees or declines. */
function answerOf({ properties }: RequestedSchema, text: string): Fields {
  const names = Object.keys(properties);
  const [name] = names;
  if (name === undefined) return yesOrNo(text) === false ? { action: 'decline' } : { action: 'accept', content: {} };
  const content = names.length === 1 ? { [name]: fieldValue({ ...properties[name] }, text) } : jsonObject(text);
  return { action: 'accept', content };
}

/** Converts a text to the type of its field. A text that cannot be converted stays, and the form rejects it. */
function fieldValue({ type }: Fields, text: string): unknown {
  switch (type) {
    case 'boolean':
      return yesOrNo(text) ?? text;
    case 'number':
    case 'integer':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'array':
      return text.split(',').map((choice) => choice.trim());
    default:
      return text;
  }
}

function yesOrNo(text: string): boolean | undefined {
  if (/^\s*(y|yes|true)\s*$/i.test(text)) return true;
  return /^\s*(n|no|false)\s*$/i.test(text) ? false : undefined;
}

function jsonObject(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const onlyField = 'answer';

/** The messages of a server as a form with one field for the user's text. */
export function formOf({ messages, metadata }: Fields): Fields {
  const message = textOf(messages);
  if (message === '') throw rpcError('invalid-params', 'The messages have no text to show', { field: 'messages' });
  const requestedSchema = { type: 'object', properties: { [onlyField]: { type: 'string' } }, required: [onlyField] };
  return { mode: 'form', message, requestedSchema, messages, ...(isRecord(metadata) && { metadata }) };
}

/** The user's answer to the form, as a message. The documents have no message for a refusal, so it is an error. */
export function messageOf({ action, content }: Fields): Fields {
  const text = isRecord(content) ? content[onlyField] : undefined;
  if (action === 'accept') return { role: 'user', content: { type: 'text', text: String(text) } };
  throw rpcError('user-rejected', 'The user did not answer', { action });
}

function textOf(messages: unknown): string {
  const texts = (Array.isArray(messages) ? messages : []).map((message) => {
    const content = isRecord(message) ? message.content : undefined;
    return isRecord(content) && typeof content.text === 'string' ? content.text : '';
  });
  return texts.filter((text) => text !== '').join('\n\n');
}
