/** The models of all revisions, oldest first. Read by the generator and the explainer; nothing on the hot path. */
import type { Model } from '../model/model.ts';
import { model as first } from './2024-11-05/model.ts';
import { model as second } from './2025-03-26/model.ts';
import { model as third } from './2025-06-18/model.ts';
import { model as fourth } from './2025-11-25/model.ts';
import { model as fifth } from './2026-07-28/model.ts';

export const models: ReadonlyMap<string, Model> = new Map([
  ['2024-11-05', first],
  ['2025-03-26', second],
  ['2025-06-18', third],
  ['2025-11-25', fourth],
  ['2026-07-28', fifth],
]);

export const newest: Model = [...models.values()].at(-1) as Model;
