export interface Plant {
  name: string;
  /** First and last month, 0 to 11; the last may lie in the next year. */
  sow: [from: number, to: number];
  pick: [from: number, to: number];
}

export const months = 'January February March April May June July August September October November December'.split(' ');

export const plants: readonly Plant[] = [
  { name: 'Broad beans', sow: [1, 3], pick: [5, 7] },
  { name: 'Carrots', sow: [2, 6], pick: [5, 10] },
  { name: 'Courgettes', sow: [4, 5], pick: [6, 9] },
  { name: 'Garlic', sow: [9, 10], pick: [6, 7] },
  { name: 'Kale', sow: [4, 6], pick: [9, 2] },
  { name: 'Leeks', sow: [2, 3], pick: [8, 1] },
  { name: 'Lettuce', sow: [2, 7], pick: [4, 9] },
  { name: 'Peas', sow: [2, 5], pick: [5, 8] },
  { name: 'Potatoes', sow: [3, 4], pick: [6, 9] },
  { name: 'Pumpkins', sow: [3, 4], pick: [8, 9] },
  { name: 'Radishes', sow: [2, 8], pick: [3, 9] },
  { name: 'Tomatoes', sow: [1, 3], pick: [6, 9] },
];

/** Whether a month lies in a span, also in one that goes over the end of the year. */
export function isWithin(month: number, [from, to]: [number, number]): boolean {
  return from <= to ? month >= from && month <= to : month >= from || month <= to;
}
