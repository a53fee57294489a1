import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { AreaId } from '../../shell/settings-areas.ts'
import type { SettingsSearch } from './areas.ts'

const route = getRouteApi('/signed-in/settings/$area')

type Go = (search: SettingsSearch, how?: { replace: boolean }) => void

/** What the address says beyond the area, and a function that changes it. */
export function useAddress(area: AreaId): [SettingsSearch, Go] {
  const search: SettingsSearch = route.useSearch()
  const navigate = route.useNavigate()
  const go: Go = useCallback(
    (next, how = { replace: false }) =>
      void navigate({ to: '/settings/$area', params: { area }, search: next, ...how }),
    [navigate, area],
  )
  return [search, go]
}
