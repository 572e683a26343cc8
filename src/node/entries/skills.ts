/** Skills on Node: everything that runs anywhere, and reading skills from a folder. */

export * from '../../extensions/skills/index.ts';
export { readSkillsFolder } from '../skills-folder.ts';
