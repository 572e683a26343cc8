/** Arguments for programs: what becomes one argument, and what is refused. */
import { execFileSync } from 'node:child_process';
import { commandArguments } from 'tenon/input-safety';
import { describe, expect, it } from 'vitest';

const unsafe = expect.objectContaining({ code: 'unsafe-argument' });

describe('commandArguments', () => {
  it('passes each value as one argument, whatever it contains [S24]', () => {
    const path = 'a b; rm -rf / $(id) `id` "x" \'y\' | z\nq *';
    expect(commandArguments`log --max-count=${3} -- ${path}`).toEqual(['log', '--max-count=3', '--', path]);
  });

  it('passes exactly these arguments to a program [S24]', () => {
    const value = '$HOME "; exit 1 #';
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))';
    const given = commandArguments`-e ${script} -- --name=${value} ${value} ${''}`;
    expect(JSON.parse(execFileSync(process.execPath, given, { encoding: 'utf8' }))).toEqual([
      `--name=${value}`,
      value,
      '',
    ]);
  });

  it('joins values with the text beside them, and makes each item of a list its own argument', () => {
    const list = ['a', 'b c', 4];
    expect(commandArguments`  --x=${'1'},${2}  pre${'fix'}
      ${list} ${[]} end`).toEqual(['--x=1,2', 'prefix', 'a', 'b c', '4', 'end']);
    expect(commandArguments``).toEqual([]);
  });

  it('refuses a value that a program would read as an option, unless -- precedes it [S24]', () => {
    for (const value of ['-x', '--upload-pack=touch /tmp/x', '-', '--', -1]) {
      expect(() => commandArguments`clone ${value}`).toThrow(unsafe);
      expect(() => commandArguments`clone ${['a', value]}`).toThrow(unsafe);
      expect(() => commandArguments`clone ${''}${value}`).toThrow(unsafe);
      expect(() => commandArguments`clone ${value} -- x`).toThrow(unsafe);
      expect(commandArguments`clone -- ${value}`).toEqual(['clone', '--', String(value)]);
      expect(commandArguments`clone --name=${value}`).toEqual(['clone', `--name=${value}`]);
    }
  });

  it('refuses NUL, values that are too long, and values of other kinds [S24]', () => {
    expect(() => commandArguments`x ${'a\0b'}`).toThrow(unsafe);
    expect(() => commandArguments`x ${'a'.repeat(8193)}`).toThrow(unsafe);
    expect(() => commandArguments`x ${Array.from({ length: 20 }, () => 'a'.repeat(8000))}`).toThrow(unsafe);
    expect(() => commandArguments`x=${['a']}`).toThrow(unsafe);
    for (const value of [undefined, null, {}, true, Number.NaN, [['a']]])
      expect(() => commandArguments`x ${value as never}`).toThrow(unsafe);
  });

  it('does not show the value in its error [S36]', () => {
    expect(() => commandArguments`x ${'-secret'}`).toThrow(/^(?!.*secret)commandArguments\(\): value 1 begins with -/);
  });

  it('refuses shell syntax in the template, because no shell reads it', () => {
    for (const make of [
      () => commandArguments`-m "${'x'}"`,
      () => commandArguments`a | b`,
      () => commandArguments`a > b`,
      () => commandArguments`$HOME`,
    ])
      expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});
