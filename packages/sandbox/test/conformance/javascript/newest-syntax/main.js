const found = "2024-06".match(/(?<year>\d+)-(?<month>\d+)/v).groups;
const grouped = Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even"));
let value = null;
value ??= 1_000n;
document.querySelector("p").textContent = [found.year, grouped.odd.length, String(value), [3, 1].toSorted().join("")].join();
