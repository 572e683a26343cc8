/** The variables of a URI template, typed from its text. */

type Expressions<Text extends string> = Text extends `${string}{${infer Inner}}${infer Rest}`
  ? Inner | Expressions<Rest>
  : never;

type BareName<Written extends string> = Written extends `${infer Name}:${string}` | `${infer Name}*` ? Name : Written;

type NamesIn<List extends string> = List extends `${infer First},${infer Rest}`
  ? BareName<First> | NamesIn<Rest>
  : BareName<List>;

/** Variables of a query may be missing from a URI. */
type QueryNames<Expression> = Expression extends `${'?' | '&'}${infer List}` ? NamesIn<List> : never;

type PathNames<Expression> = Expression extends `${'?' | '&'}${string}`
  ? never
  : Expression extends `${'+' | '#' | '.' | '/' | ';'}${infer List}`
    ? NamesIn<List>
    : Expression extends string
      ? NamesIn<Expression>
      : never;

type Flat<T> = { readonly [Name in keyof T]: T[Name] };

/**
 * The value of each variable in a URI: a decoded string. A variable of the query (`{?a}`, `{&a}`) is absent where the
 * URI does not have it. Where the text is not known to the compiler, any name may be read.
 */
export type TemplateVariables<Text extends string = string> = string extends Text
  ? Readonly<Record<string, string>>
  : Flat<{ [Name in PathNames<Expressions<Text>>]: string } & { [Name in QueryNames<Expressions<Text>>]?: string }>;
