import type { JsonStep } from './column-path.ts';
import type { Test } from './filter-grammar.ts';
import type { OrderTerm } from './order-grammar.ts';
import type { Column, Relation, Relationship } from './schema.ts';
import type { Aggregate } from './select-grammar.ts';

/**
 * What is read from one relation, with every name found in the schema: the SQL is written from
 * this alone.
 */
export interface ReadPlan {
  relation: Relation;
  fields: Field[];
  /** Those that rows must have: `!inner`. */
  inner: EmbedPlan[];
  filters: FilterPlan[];
  order: OrderPlan[];
  /** The page, never longer than the limit for rows. */
  limit: number;
  offset: number;
  /** Whether the rows are groups of the relation's rows. */
  grouped: boolean;
  /** Whether functions over whole rows are used: computed columns and relationships. */
  needsRow: boolean;
}

/** A column, or a place inside a JSON column. */
export interface Value {
  column: Column;
  steps: readonly JsonStep[];
}

export type Field =
  | { kind: 'all' }
  | { kind: 'value'; name: string; value: Value; cast?: string; aggregate?: Aggregate }
  | { kind: 'count'; name: string; cast?: string }
  | { kind: 'embed'; name: string; embed: EmbedPlan }
  /** A lateral join, of whose columns these are the names; some are aggregated here, not there. */
  | { kind: 'spread'; embed: EmbedPlan; columns: SpreadColumn[] };

export interface SpreadColumn {
  name: string;
  aggregate?: Aggregate;
}

export interface EmbedPlan {
  link: Relationship;
  plan: ReadPlan;
  /** The table between, where there is one. */
  junction?: Relation;
}

export type FilterPlan =
  | { kind: 'compare'; value: Value; negated: boolean; test: Test }
  | { kind: 'exists'; embed: EmbedPlan; negated: boolean }
  | { kind: 'group'; joiner: 'and' | 'or'; negated: boolean; filters: FilterPlan[] };

export interface OrderPlan {
  value: Value;
  /** The embedded relation, of which there is one a row, whose value it is. */
  embed?: EmbedPlan;
  direction: 'asc' | 'desc';
  nulls?: OrderTerm['nulls'];
}
