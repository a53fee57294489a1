/**
 * How many actions the strategies of an account may send within a second, on all nodes together. They are
 * counted by the statement that stores them (`journal-statement.ts`).
 */
export const actionsPerSecond = 5
