export type Shelf = 'to read' | 'reading' | 'read';

export interface Book {
  id: number;
  title: string;
  author: string;
  year: number;
  pages: number;
  shelf: Shelf;
  /** Of the spine, in degrees round the color wheel. */
  hue: number;
}

export const shelves: readonly Shelf[] = ['to read', 'reading', 'read'];

export const firstBooks: readonly Book[] = [
  { id: 1, title: 'Middlemarch', author: 'George Eliot', year: 1871, pages: 880, shelf: 'reading', hue: 24 },
  { id: 2, title: 'Moby-Dick', author: 'Herman Melville', year: 1851, pages: 635, shelf: 'to read', hue: 205 },
  { id: 3, title: 'The Awakening', author: 'Kate Chopin', year: 1899, pages: 303, shelf: 'read', hue: 330 },
  { id: 4, title: 'Frankenstein', author: 'Mary Shelley', year: 1818, pages: 280, shelf: 'read', hue: 150 },
  { id: 5, title: 'The Time Machine', author: 'H. G. Wells', year: 1895, pages: 152, shelf: 'to read', hue: 265 },
  { id: 6, title: 'Walden', author: 'Henry David Thoreau', year: 1854, pages: 352, shelf: 'reading', hue: 95 },
  { id: 7, title: 'Persuasion', author: 'Jane Austen', year: 1817, pages: 249, shelf: 'to read', hue: 45 },
  { id: 8, title: 'Sylvie and Bruno', author: 'Lewis Carroll', year: 1889, pages: 400, shelf: 'read', hue: 180 },
];
