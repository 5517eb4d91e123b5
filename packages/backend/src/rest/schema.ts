/** What REST knows of the database. */
export interface Catalogue {
  settings: RestSettings;
  /** The served schemas, by name. */
  schemas: ReadonlyMap<string, Schema>;
}

/** PostgREST's settings, from the database or ours. */
export interface RestSettings {
  /** The first is meant where a request names none. */
  schemas: readonly string[];
  /** Looked through after the request's own schema. */
  extraSearchPath: readonly string[];
  /** Rows in an answer, and in each embedded list of it; more are read with `offset`. */
  maxRows: number;
  /** Fewer, for a role that has a setting of its own. */
  maxRowsByRole: ReadonlyMap<string, number>;
  /** A function to call before each request, as SQL: `"public"."check_request"`. */
  preRequest?: string;
  /** Whether `sum`, `avg`, `max`, `min` and a `count` beside columns may be asked for. */
  aggregates: boolean;
  /** Whether a request may ask for its statement's plan. */
  plans: boolean;
}

/**
 * One schema's relations, columns, keys, functions. Every identifier in the SQL we send comes from
 * here (or is an alias, quoted), and so does every type name and default.
 */
export interface Schema {
  name: string;
  relations: ReadonlyMap<string, Relation>;
  /** By name; overloads share one. */
  functions: ReadonlyMap<string, readonly DatabaseFunction[]>;
  settings: RestSettings;
  /** As SQL: this schema, and those whose operators and types must be found. */
  searchPath: string;
}

/** A table, a view, or the rows that a function returns. */
export interface Relation {
  name: string;
  schema: string;
  /** Quoted and with its schema, ready for SQL. */
  sql: string;
  columns: ReadonlyMap<string, Column>;
  /** Of a view: the columns that show the primary key of a table under it. */
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

/** `base` is the type's own name, or that of the type under a domain. */
export function kindOf(base: string): Column['kind'] {
  return base === 'json' || base === 'jsonb' ? 'json' : base === 'tsvector' ? 'tsvector' : 'other';
}

/** How rows of one relation belong to rows of another. */
export interface Relationship {
  /** The foreign key's name; of a `through` relationship, both keys' names. */
  constraints: readonly string[];
  to: string;
  toView: boolean;
  /** Whether a row has at most one of the others. */
  toOne: boolean;
  /** True where the foreign key is on this side. */
  ownsKey: boolean;
  /** Columns here and there that are equal; of a `through`, here and in the junction. */
  pairs: readonly (readonly [here: string, there: string])[];
  /** The table between, and its columns equal to those of the other side. */
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
