/**
 * What REST knows of the database: relations, columns, keys, functions. Every identifier in the
 * SQL we send comes from here (or is an alias, quoted), and so does every type name and default.
 */
export interface Schema {
  relations: ReadonlyMap<string, Relation>;
  /** By name; overloads share one. */
  functions: ReadonlyMap<string, readonly DatabaseFunction[]>;
}

/** A table, a view, or the rows that a function returns. */
export interface Relation {
  name: string;
  /** Quoted and with its schema, ready for SQL. */
  sql: string;
  columns: ReadonlyMap<string, Column>;
  primaryKey: readonly string[];
  /** Functions taking a row of this relation, which can be read as if they were columns. */
  computed: ReadonlyMap<string, Column>;
  relationships: readonly Relationship[];
}

export interface Column {
  name: string;
  /** As SQL writes it: `character varying(20)`, `public.mood[]`. */
  type: string;
  kind: 'json' | 'tsvector' | 'other';
  /** The default's expression, from the catalogue. */
  defaultSql?: string;
  /** For a computed column: the function, quoted. */
  functionSql?: string;
}

/** How rows of one relation belong to rows of another. */
export interface Relationship {
  /** The foreign key's name; of a `through` relationship, both keys' names. */
  constraints: readonly string[];
  to: string;
  /** Whether a row has at most one of the others. */
  toOne: boolean;
  /** True where the foreign key is on this side. */
  ownsKey: boolean;
  /** Columns here and there that are equal; of a `through`, here and in the junction. */
  pairs: readonly (readonly [here: string, there: string])[];
  /** The table between, and its columns equal to those of the other side. */
  through?: { junction: string; pairs: readonly (readonly [junction: string, there: string])[] };
}

export interface DatabaseFunction {
  name: string;
  sql: string;
  arguments: readonly Argument[];
  result: 'void' | 'value' | 'row';
  returnsSet: boolean;
  /** The columns of a row result, where they are known. */
  rows?: Relation;
  /** Neither STABLE nor IMMUTABLE. */
  writes: boolean;
}

export interface Argument {
  /** Empty when the function leaves it unnamed. */
  name: string;
  type: string;
  required: boolean;
  variadic: boolean;
}

/** `wei"rd` → `"wei""rd"`. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
