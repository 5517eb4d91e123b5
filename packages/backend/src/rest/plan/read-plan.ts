import type { JsonStep } from '../request/column-path.ts';
import type { Test } from '../request/filter-grammar.ts';
import type { OrderTerm } from '../request/order-grammar.ts';
import type { Column, Relation, Relationship } from '../schema/schema.ts';
import type { Aggregate } from '../request/select-grammar.ts';

/**
 * Plan for reading a relation, with all names resolved in the schema. SQL is generated from this
 * alone.
 */
export interface ReadPlan {
  relation: Relation;
  fields: Field[];
  /** Embedded relations that rows must have: `!inner`. */
  innerEmbeds: EmbedPlan[];
  filters: FilterPlan[];
  order: OrderPlan[];
  /** Never more than the maximum number of rows. */
  limit: number;
  offset: number;
  /** Whether the rows are groups. */
  grouped: boolean;
  /** Whether it uses functions on whole rows: computed columns and relationships. */
  needsRow: boolean;
}

/** A column, or a path inside a JSON column. */
export interface Value {
  column: Column;
  steps: readonly JsonStep[];
}

export type Field =
  | { kind: 'all' }
  | { kind: 'value'; name: string; value: Value; cast?: string; aggregate?: Aggregate }
  | { kind: 'count'; name: string; cast?: string }
  | { kind: 'embed'; name: string; embed: EmbedPlan }
  /** Columns of a lateral join; some are aggregated here instead of in the join. */
  | { kind: 'spread'; embed: EmbedPlan; columns: SpreadColumn[] };

export interface SpreadColumn {
  name: string;
  aggregate?: Aggregate;
}

export interface EmbedPlan {
  relationship: Relationship;
  plan: ReadPlan;
  /** The junction table of a many-to-many relationship. */
  junction?: Relation;
}

export type FilterPlan =
  | { kind: 'compare'; value: Value; negated: boolean; test: Test }
  | { kind: 'exists'; embed: EmbedPlan; negated: boolean }
  | { kind: 'group'; joiner: 'and' | 'or'; negated: boolean; filters: FilterPlan[] };

export interface OrderPlan {
  value: Value;
  /** The to-one embedded relation that has the value. */
  embed?: EmbedPlan;
  direction: 'asc' | 'desc';
  nulls?: OrderTerm['nulls'];
}
