import { getRouteApi } from '@tanstack/react-router'
import type { AreaId, SettingsSearch } from './areas.ts'

const route = getRouteApi('/signed-in/settings/$area')

/** What the address says beyond the area, and a function that changes it. */
export function useAddress(area: AreaId): [SettingsSearch, (search: SettingsSearch) => void] {
  const search: SettingsSearch = route.useSearch()
  const navigate = route.useNavigate()
  return [search, (next) => void navigate({ to: '/settings/$area', params: { area }, search: next })]
}
