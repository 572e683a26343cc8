/** The outcome of a call as the AI SDK and Mastra give it to a model. They differ in the part for media. */
import type { ModelPart } from '../../client/content/model-content.ts';
import type { ToolOutcome } from '../api.ts';
import { textOfOutcome } from '../interrupts/interrupt-texts.ts';
import type { MediaPart } from '../results/true-media.ts';

type Output<Media> =
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: Array<{ type: 'text'; text: string } | Media> };

/** An error with an image is content: the form for errors has text only. */
export function modelOutput<Media>(outcome: ToolOutcome, toMedia: (part: MediaPart) => Media): Output<Media> {
  const text = { type: 'text' as const, text: textOfOutcome(outcome) };
  if (outcome.type === 'interrupt') return { type: 'content', value: [text] };
  const isText = outcome.parts.every(({ type }) => type === 'text');
  if (outcome.isError && isText) return { type: 'error-text', value: outcome.text };
  const toContent = (part: ModelPart) =>
    part.type === 'text' ? { type: 'text' as const, text: part.text } : toMedia(part);
  return { type: 'content', value: outcome.parts.map(toContent) };
}
