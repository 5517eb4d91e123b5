/** The exposed part of the database. */
export interface Catalog {
  settings: RestSettings;
  /** Exposed schemas, by name. */
  schemas: ReadonlyMap<string, Schema>;
}

/** PostgREST's settings, from the database or the defaults. */
export interface RestSettings {
  /** The first is the default of requests. */
  schemas: readonly string[];
  /** Searched after the request's own schema. */
  extraSearchPath: readonly string[];
  /** Rows of a response, and of each embedded list; more are read with `offset`. */
  maxRows: number;
  /** Lower limits of roles with a setting of their own. */
  maxRowsByRole: ReadonlyMap<string, number>;
  /** Function called before each request, as SQL: `"public"."check_request"`. */
  preRequest?: string;
  /** Whether `sum`, `avg`, `max`, `min` and a `count` next to columns are allowed. */
  areAggregatesEnabled: boolean;
  /** Whether a request may read the query plan. */
  isPlanEnabled: boolean;
}

/**
 * Relations, columns, keys and functions of one schema. Every identifier in generated SQL comes
 * from here (or is a quoted alias), and so does every type name and default.
 */
export interface Schema {
  name: string;
  relations: ReadonlyMap<string, Relation>;
  /** By name; overloads share one. */
  functions: ReadonlyMap<string, readonly DatabaseFunction[]>;
  settings: RestSettings;
  /** As SQL: this schema, and those with operators and types to be found. */
  searchPath: string;
}

/** A table, a view, or the rows that a function returns. */
export interface Relation {
  name: string;
  schema: string;
  /** Quoted and schema-qualified, for SQL. */
  sql: string;
  columns: ReadonlyMap<string, Column>;
  /** For a view: the columns that contain the primary key of a table. */
  primaryKey: readonly string[];
  /** Functions on a row of this relation, which can be read like columns. */
  computed: ReadonlyMap<string, Column>;
  relationships: readonly Relationship[];
}

export interface Column {
  name: string;
  /** Type in SQL: `character varying(20)`, `public.mood[]`. */
  type: string;
  kind: 'json' | 'tsvector' | 'other';
  /** Expression of the default, from the catalog. */
  defaultSql?: string;
  /** For a computed column: the function, quoted. */
  functionSql?: string;
}

/** Kind of a type. `base` is its name, or the base type of a domain. */
export function kindOf(base: string): Column['kind'] {
  return base === 'json' || base === 'jsonb' ? 'json' : base === 'tsvector' ? 'tsvector' : 'other';
}

/** A relationship from one relation to another. */
export interface Relationship {
  /** Name of the foreign key; with `through`, the names of both. */
  constraints: readonly string[];
  to: string;
  toView: boolean;
  /** Whether a row has at most one related row. */
  toOne: boolean;
  /** Whether the foreign key is on this side. */
  ownsKey: boolean;
  /** Pairs of equal columns here and there; with `through`, here and in the junction. */
  pairs: readonly (readonly [here: string, there: string])[];
  /** The junction table, and pairs of its columns and those of the other side. */
  through?: { junction: string; pairs: readonly (readonly [junction: string, there: string])[] };
  /** A function that takes a row of this side and returns rows of the other. */
  computed?: { name: string; sql: string };
}

export interface DatabaseFunction {
  name: string;
  schema: string;
  sql: string;
  arguments: readonly Argument[];
  result: 'void' | 'value' | 'row';
  returnsSet: boolean;
  /** Columns of a row result, when known. */
  rows?: Relation;
  /** Whether it is neither STABLE nor IMMUTABLE. */
  writes: boolean;
}

export interface Argument {
  /** Empty when the argument is unnamed. */
  name: string;
  type: string;
  required: boolean;
  variadic: boolean;
}

/** `wei"rd` → `"wei""rd"`. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
