var shared = 1;
function add() { shared += 1; }
