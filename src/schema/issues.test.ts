import { describe, expect, it } from 'vitest';
import { issuesText, pathText } from './issues.ts';

describe('the text of issues', () => {
  it('names the place and what is wrong, in one line', () => {
    const issues = [
      { path: ['city'], message: 'expected string' },
      { path: ['stops', 2, 'x y'], message: 'is required' },
      { path: [], message: 'expected\nobject' },
    ];
    expect(issuesText(issues)).toBe('city: expected string; stops[2]["x y"]: is required; expected object');
  });

  it('is bounded in count and says how many were left out', () => {
    const issues = Array.from({ length: 9 }, (_, index) => ({ path: [index], message: 'bad' }));
    expect(issuesText(issues, { count: 2, length: 100 })).toBe('[0]: bad; [1]: bad; and 7 more');
  });

  it('is bounded in length, also for one long path or message, and stays well formed', () => {
    const long = '😀'.repeat(5000);
    const text = issuesText([
      { path: [long], message: long },
      { path: [], message: long },
    ]);
    expect(text.length).toBeLessThanOrEqual(600);
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });

  it('is empty for no issue', () => {
    expect(issuesText([])).toBe('');
  });

  it('writes a path as a program would', () => {
    expect(pathText(['a', 0, 'b-c', '__proto__', Symbol('s')])).toBe('a[0].b-c.__proto__.Symbol(s)');
  });
});
