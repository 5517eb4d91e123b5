/** Gives a person a file to keep. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download has its own hold on it once it has begun.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** "Boids: a flock?" → "Boids a flock": what any file system takes. */
export function fileName(title: string, otherwise: string): string {
  return title.replace(/[^\p{L}\p{N} _-]+/gu, '').trim() || otherwise;
}
