/** The agent answers with the tools that it may use, and with no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Model, runAgent, withTools } from '../src/agent.ts';
import { chooseModel, scriptedModel } from '../src/models.ts';

test('the answer has the forecast of the city that the question names', async () => {
  const answer = chooseModel({});
  assert.match(await withTools((kit) => answer(kit, 'Will I need an umbrella in Rome?')), /Sunny in Rome/);
});

test('the model reads why a tool is not called', async () => {
  const warns: Model = (turn) =>
    turn.outcomes.length > 0
      ? scriptedModel(turn)
      : Promise.resolve({ calls: [{ id: 'call-1', name: 'weather__warn', arguments: { city: 'Oslo' } }] });
  assert.match(await withTools((kit) => runAgent(kit, warns, 'Warn them')), /only forecasts are allowed/);
});

test('a model that never answers is stopped', async () => {
  const endless: Model = () => Promise.resolve({ calls: [] });
  assert.match(await withTools((kit) => runAgent(kit, endless, 'Why?')), /No answer after 20 turns/);
});
