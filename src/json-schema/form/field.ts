/** The fields of a form, as a terminal or a page draws them. Inner fields are planned on first use. */

/** The common properties of all fields. */
export interface FieldFacts {
  /** The name of the property; empty for a form, the item of a list and an option of a union. */
  readonly name: string;
  /** The title, or the name. */
  readonly label: string;
  readonly description?: string;
  /** Whether the value must be there. */
  readonly isRequired: boolean;
  /** Whether the value may be `null`. */
  readonly isNullable: boolean;
  /** The value that the schema suggests. */
  readonly suggested?: unknown;
  readonly isDeprecated?: true;
}

/** A text. Patterns are shown and not run: they come from the server, and a hostile one could run forever. */
export interface TextField extends FieldFacts {
  readonly kind: 'text';
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Whether it is hidden while it is typed. */
  readonly isSecret: boolean;
}

export interface NumberField extends FieldFacts {
  readonly kind: 'number';
  readonly isInteger: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

export interface BooleanField extends FieldFacts {
  readonly kind: 'boolean';
}

export interface Choice {
  readonly value: unknown;
  readonly label: string;
  readonly description?: string;
}

/** One of several values. */
export interface ChoiceField extends FieldFacts {
  readonly kind: 'choice';
  readonly choices: readonly Choice[];
}

/** Any of several values, each once. */
export interface ChoicesField extends FieldFacts {
  readonly kind: 'choices';
  readonly choices: readonly Choice[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A value that cannot be another, such as the tag of a union. */
export interface FixedField extends FieldFacts {
  readonly kind: 'fixed';
  readonly value: unknown;
}

export interface ObjectField extends FieldFacts {
  readonly kind: 'object';
  fields(): readonly FormField[];
  /** The field for names that the schema does not list; absent if there are none. */
  readonly more?: () => FormField;
}

export interface ListField extends FieldFacts {
  readonly kind: 'list';
  readonly item: FormField;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly isUnique: boolean;
}

export interface UnionOption {
  readonly label: string;
  readonly description?: string;
  field(): FormField;
}

/** One of several shapes. */
export interface UnionField extends FieldFacts {
  readonly kind: 'union';
  readonly options: readonly UnionOption[];
}

/** A value that is written as JSON, because the schema allows anything or is more than a form can show. */
export interface JsonField extends FieldFacts {
  readonly kind: 'json';
  /** Why there is no form for it. */
  readonly reason: string;
}

export type FormField =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ChoicesField
  | FixedField
  | ObjectField
  | ListField
  | UnionField
  | JsonField;

export type FieldKind = FormField['kind'];
