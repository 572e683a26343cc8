#!/usr/bin/env node
/** Asks the agent a question: that of the command line. */
import { withTools } from './agent.ts';
import { chooseModel } from './models.ts';

const question = process.argv.slice(2).join(' ') || 'What is the weather in Oslo?';
const answer = chooseModel(process.env);
console.log(await withTools((kit) => answer(kit, question)));
