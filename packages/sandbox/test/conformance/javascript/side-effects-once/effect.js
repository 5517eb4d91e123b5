window.times = (window.times ?? 0) + 1;
