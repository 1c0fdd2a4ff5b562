/* Socket addresses: from text, to text, and what kind they are. An IPv4 client of an IPv6 socket is looked at as IPv4. */
#ifndef SRV_PROCESS_ADDRESS_H
#define SRV_PROCESS_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Numeric address, bare or in brackets, or "localhost", and port. False: it is none. */
bool srv_address_parse(const char *text, uint16_t port, struct sockaddr_storage *out, socklen_t *length);
bool srv_address_is_loopback(const struct sockaddr *address);
/* Numeric text of the address without port. out takes 64 bytes. */
void srv_address_text(const struct sockaddr *address, char *out);
/* The four bytes as a number, the first one highest. False: it is no IPv4 address. */
bool srv_address_ipv4(const struct sockaddr *address, uint32_t *out);

#endif
