/** The model of the AI SDK as Mastra types it. */
import type { MastraModelConfig } from '@mastra/core/llm';
import { model as plain } from './ai-model.ts';

export const model = plain as unknown as MastraModelConfig;
