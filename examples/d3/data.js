export const rain = [
  { month: 'Jan', millimeters: 74 },
  { month: 'Feb', millimeters: 58 },
  { month: 'Mar', millimeters: 61 },
  { month: 'Apr', millimeters: 44 },
  { month: 'May', millimeters: 39 },
  { month: 'Jun', millimeters: 31 },
  { month: 'Jul', millimeters: 22 },
  { month: 'Aug', millimeters: 35 },
  { month: 'Sep', millimeters: 63 },
  { month: 'Oct', millimeters: 92 },
  { month: 'Nov', millimeters: 97 },
  { month: 'Dec', millimeters: 88 },
];
