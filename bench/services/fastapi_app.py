"""A small service as FastAPI's tutorial teaches it: three operations that its document protects, two of them open."""

import secrets

from fastapi import Depends, FastAPI, HTTPException, status
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from key import KEY
from pydantic import BaseModel

app = FastAPI(title="Workshop bookings", version="1.0.0")

# `auto_error=False` documents the scheme and leaves the check to the operation, which two of them forget.
bearer = HTTPBearer(auto_error=False)


class Room(BaseModel):
    id: int
    name: str
    seats: int
    door_code: str


class Booking(BaseModel):
    id: int
    room: int
    by: str
    phone: str


ROOMS = [
    Room(id=8101, name="Lathe room", seats=6, door_code="7-4-4-1"),
    Room(id=8102, name="Paint booth", seats=2, door_code="2-9-0-5"),
    Room(id=8103, name="Loft", seats=14, door_code="6-6-3-8"),
]
BOOKINGS = [
    Booking(id=55201, room=8101, by="Ada Quist", phone="+47 5550 1101"),
    Booking(id=55202, room=8103, by="Bo Lindqvist", phone="+47 5550 1102"),
]


def checked(credentials: HTTPAuthorizationCredentials | None = Depends(bearer)) -> None:
    if credentials is None or not secrets.compare_digest(credentials.credentials, KEY):
        raise HTTPException(status.HTTP_401_UNAUTHORIZED, "Not authenticated", {"WWW-Authenticate": "Bearer"})


@app.get("/bookings", dependencies=[Depends(checked)])
def list_bookings() -> list[Booking]:
    return BOOKINGS


@app.get("/rooms", dependencies=[Depends(bearer)])
def list_rooms() -> list[Room]:
    return ROOMS


@app.get("/rooms/{room_id}", dependencies=[Depends(bearer)])
def read_room(room_id: int) -> Room:
    for room in ROOMS:
        if room.id == room_id:
            return room
    raise HTTPException(status.HTTP_404_NOT_FOUND, "No such room")
