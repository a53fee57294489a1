import { createContext, useState } from 'react'
import { ColumnRoom } from './alignment.ts'

/** The column of numbers that a cell belongs to; elsewhere `null`. */
export const NumberColumn = createContext<ColumnRoom | null>(null)

/**
 * Tells the room of each column of a table by its name, as long as the table is shown.
 * @param isFixed whether columns have a width of their own, which their numbers do not change
 */
export function useColumnRooms(isFixed: boolean): (name: string) => ColumnRoom {
  const [rooms] = useState(() => new Map<string, ColumnRoom>())
  return (name) => {
    const room = rooms.get(name) ?? new ColumnRoom(isFixed)
    rooms.set(name, room)
    return room
  }
}
